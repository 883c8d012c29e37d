import { playlistOperations as operations } from '@placard/protocol/api';
import { createTargetMatcher, targetKey } from '@placard/schedule';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireWithinLimits, requireTargets } from '../request-checks.ts';
import { requirePlaylist } from './playlists.ts';

/** Deploys a playlist to devices, stores and tags: it is shown when no rule is active. */
export function deployRoutes({ newId }: HttpDeps): Route[] {
  return [
    route(operations.deployPlaylist, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        const playlist = await requirePlaylist(tx, params.id);
        const targets = [...new Map(body.targets.map((target) => [targetKey(target), target])).values()];
        await requireTargets(tx, targets);
        const id = newId('deployment');
        const targetCountBefore = await tx.deployments.countTargets();
        await tx.deployments.insert({ id, playlist_id: params.id, created_at: nowMs }, targets);
        const deployedTargets = await tx.deployments.countTargets();
        if (deployedTargets > targetCountBefore) {
          requireWithinLimits({ deployedTargets }, 'targets');
        }
        tx.invalidateManifests('all');
        await tx.recomputeManifests();

        const matchesTargets = createTargetMatcher(targets);
        const targetedDevices = (await tx.devices.listManifestDevices()).filter(({ device }) =>
          matchesTargets(device),
        );
        const warnings =
          playlist.item_count > 0
            ? []
            : [
                {
                  code: 'PLAYLIST_HAS_NO_PLAYABLE_CONTENT',
                  message: 'The playlist has no playable items; devices keep showing what they show now.',
                },
              ];
        const data = {
          id,
          playlist_id: params.id,
          targets,
          device_count: targetedDevices.length,
          manifest_revisions: Object.fromEntries(
            targetedDevices.map(({ device, revision }) => [device.id, revision]),
          ),
          warnings,
        };
        const { manifest_revisions: _, ...summary } = data;
        await tx.notifyWebhooks({
          type: 'playlist.deployed',
          resource: params.id,
          data: { deployment: summary, playlist: { id: playlist.id, name: playlist.name } },
        });
        return { data };
      }),
    ),
  ];
}
