import { DAY_MS } from '../domain/durations.ts';
import type { JobDeps } from './deps.ts';

/** Days since they were resolved. */
const RETENTION_DAYS = 90;

/** Deletes resolved alerts that are too old, or too many, in batches. */
export async function deleteOldAlerts({
  database,
  clock,
}: Pick<JobDeps, 'database' | 'clock'>): Promise<void> {
  const beforeMs = clock.nowMs() - RETENTION_DAYS * DAY_MS;
  let more = true;
  while (more) {
    more = await database.transaction((tx) => tx.alerts.deleteBatch(beforeMs), { freesSpace: true });
  }
}
