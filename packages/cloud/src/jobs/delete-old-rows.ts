import { DAY_MS } from '../domain/durations.ts';
import type { Transaction } from '../database/cloud-database.ts';
import type { JobDeps } from './deps.ts';

type Deps = Pick<JobDeps, 'database' | 'clock'>;

/** Deletes batch after batch, each in a transaction of its own, until none is left. */
async function deleteAll(
  { database }: Pick<Deps, 'database'>,
  deleteBatch: (tx: Transaction) => Promise<boolean>,
): Promise<void> {
  let more = true;
  while (more) {
    more = await database.transaction(deleteBatch, { freesSpace: true });
  }
}

/** Deletes all that is too old or too many. */
async function deleteOldRows(
  deps: Deps,
  retentionDays: number,
  deleteBatch: (tx: Transaction, beforeMs: number) => Promise<boolean>,
): Promise<void> {
  const beforeMs = deps.clock.nowMs() - retentionDays * DAY_MS;
  await deleteAll(deps, (tx) => deleteBatch(tx, beforeMs));
}

/** Deletes events that were recorded a week ago, and the oldest of too many. */
export const deleteOldEvents = (deps: Deps): Promise<void> =>
  deleteOldRows(deps, 7, (tx, beforeMs) => tx.events.deleteBatch(beforeMs));

/** Deletes operations that finished a week ago, and the oldest of those with too many results. */
export const deleteOldOperations = (deps: Deps): Promise<void> =>
  deleteOldRows(deps, 7, (tx, beforeMs) => tx.bulkOperations.deleteBatch(beforeMs));

/** Deletes alerts that were resolved 90 days ago, the oldest of too many, and what rules have left that were changed or deleted. */
export async function deleteOldAlerts(deps: Deps): Promise<void> {
  await deleteOldRows(deps, 90, (tx, beforeMs) => tx.alerts.deleteBatch(beforeMs));
  await deleteAll(deps, (tx) => tx.alertMatches.deleteBatch());
}

/** Deletes entries of the audit log that are older than so many days. */
export const deleteOldAuditEntries = (deps: Deps, retentionDays: number): Promise<void> =>
  deleteOldRows(deps, retentionDays, (tx, beforeMs) => tx.audit.deleteBatch(beforeMs));
