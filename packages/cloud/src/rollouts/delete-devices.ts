import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { OWNER, recordRollout } from './change-rollout.ts';

type Source = Pick<CloudDatabase, 'transaction' | 'rollouts' | 'rolloutDevices'>;

/** Deletes the devices of a rollout that was deleted. Not in its transaction: there may be many. */
async function deleteDevices(database: Source, rolloutId: string): Promise<void> {
  let hasMore = true;
  while (hasMore) {
    hasMore = await database.transaction((tx) => tx.rolloutDevices.deleteSome(rolloutId), {
      owner: OWNER,
      freesSpace: true,
    });
  }
}

/** Deletes one that ended before the time, but none that holds updates; its devices are left. Returns whether there was one. */
async function deleteOldRollout(tx: Transaction, beforeMs: number): Promise<boolean> {
  const holding = await tx.rollouts.findHolding();
  const row = await tx.rollouts.lockEndedBefore(beforeMs, holding?.id ?? '');
  if (row) {
    await recordRollout(tx, row, 'rollout.deleted');
    await tx.rollouts.delete(row.id);
  }
  return row !== undefined;
}

/** Deletes rollouts that ended before the time, and what is left of those that were deleted. */
export async function deleteOldRollouts(database: Source, beforeMs: number): Promise<void> {
  let hasMore = true;
  while (hasMore) {
    hasMore = await database.transaction((tx) => deleteOldRollout(tx, beforeMs), {
      owner: OWNER,
      freesSpace: true,
    });
  }
  for (
    let id = await database.rolloutDevices.findLeft();
    id !== null;
    id = await database.rolloutDevices.findLeft()
  ) {
    await deleteDevices(database, id);
  }
}
