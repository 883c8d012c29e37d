import { DAY_MS } from '../domain/durations.ts';
import type { Clock } from '../domain/clock.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';

/** Days since their creation. */
const RETENTION_DAYS = 30;

/** Deletes finished webhook deliveries that are too old or too many, in batches. */
export async function deleteOldDeliveries({
  database,
  clock,
}: {
  database: Pick<CloudDatabase, 'webhooks' | 'transaction'>;
  clock: Pick<Clock, 'nowMs'>;
}): Promise<void> {
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
