import { DAY_MS } from '../domain/durations.ts';
import type { JobDeps } from './deps.ts';

/** Days since their creation. */
const RETENTION_DAYS = 30;

/** Deletes finished webhook deliveries that are too old or too many, in batches. */
export async function deleteOldDeliveries({ database, clock }: JobDeps): Promise<void> {
  const beforeMs = clock.nowMs() - RETENTION_DAYS * DAY_MS;
  for (const id of await database.webhooks.ids()) {
    let more = true;
    while (more) {
      more = await database.transaction((tx) => tx.webhooks.deleteFinishedBatch(id, beforeMs), {
        freesSpace: true,
      });
    }
  }
}
