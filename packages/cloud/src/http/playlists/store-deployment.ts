import type { Target } from '@placard/schedule';
import type { Transaction } from '../../database/cloud-database.ts';
import type { PlaylistSummaryRow } from '../../database/playlists.ts';
import { requireWithinLimits } from '../request-checks.ts';

export interface NewDeployment {
  id: string;
  playlist: PlaylistSummaryRow;
  /** No two of them are the same. */
  targets: readonly Target[];
  nowMs: number;
}

/** Makes the playlist the base playlist of the targets; throws when too many have one. */
export async function storeDeployment(
  tx: Transaction,
  { id, playlist, targets, nowMs }: NewDeployment,
): Promise<void> {
  const countBefore = await tx.deployments.countTargets();
  await tx.deployments.insert({ id, playlist_id: playlist.id, created_at: nowMs }, targets);
  const deployedTargets = await tx.deployments.countTargets();
  if (deployedTargets > countBefore) {
    requireWithinLimits({ deployedTargets }, 'targets');
  }
  tx.invalidateManifests({ deployedTargets: targets });
}

/** The response to a deployment without the revisions, and its event. */
export function describeDeployment(
  tx: Transaction,
  { id, playlist, targets }: NewDeployment,
  deviceCount: number,
) {
  const warnings =
    playlist.item_count > 0
      ? []
      : [
          {
            code: 'PLAYLIST_HAS_NO_PLAYABLE_CONTENT',
            message: 'The playlist has no playable items; devices keep showing what they show now.',
          },
        ];
  const summary = {
    id,
    playlist_id: playlist.id,
    targets: [...targets],
    device_count: deviceCount,
    warnings,
  };
  tx.recordEvent({
    type: 'playlist.deployed',
    resource: playlist.id,
    data: { deployment: summary, playlist: { id: playlist.id, name: playlist.name } },
  });
  return summary;
}
