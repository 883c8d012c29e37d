import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';

const DAY_MS = 86_400_000;
/** From when they were written down. */
const KEPT_DAYS = 30;

/** Deletes what became of webhook deliveries when it is too old or too much, in small steps. */
export async function deleteDeliveries({
  store,
  clock,
}: {
  store: Pick<Store, 'webhooks' | 'transaction'>;
  clock: Pick<Clock, 'nowMs'>;
}): Promise<void> {
  const beforeMs = clock.nowMs() - KEPT_DAYS * DAY_MS;
  for (const id of await store.webhooks.ids()) {
    let more = true;
    while (more)
      more = await store.transaction((work) => work.webhooks.deleteSomeFinished(id, beforeMs), {
        frees: true,
      });
  }
}
