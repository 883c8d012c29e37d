import { DAY_MS } from '../domain/durations.ts';
import type { JobDeps } from './deps.ts';

/** Days since they finished. */
const RETENTION_DAYS = 7;

/** Deletes finished operations that are too old, or that have too many results, in batches. */
export async function deleteOldOperations({
  database,
  clock,
}: Pick<JobDeps, 'database' | 'clock'>): Promise<void> {
  const beforeMs = clock.nowMs() - RETENTION_DAYS * DAY_MS;
  let more = true;
  while (more) {
    more = await database.transaction((tx) => tx.bulkOperations.deleteBatch(beforeMs), {
      freesSpace: true,
    });
  }
}
