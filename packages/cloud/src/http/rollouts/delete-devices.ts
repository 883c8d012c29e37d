import type { CloudDatabase } from '../../database/cloud-database.ts';
import { OWNER } from './change-rollout.ts';

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

/** Deletes rollouts that ended before the time, and what is left of those that were deleted. */
export async function deleteOldRollouts(database: Source, beforeMs: number): Promise<void> {
  await database.transaction((tx) => tx.rollouts.deleteEndedBefore(beforeMs), { freesSpace: true });
  for (
    let id = await database.rolloutDevices.findLeft();
    id !== null;
    id = await database.rolloutDevices.findLeft()
  ) {
    await deleteDevices(database, id);
  }
}
