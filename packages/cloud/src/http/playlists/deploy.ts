import { playlistOperations as operations } from '@placard/protocol/api';
import { reachOf, targetKey } from '../../domain/reach.ts';
import { route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { requireRoom, requireTargets } from '../require.ts';
import { requirePlaylist } from './playlists.ts';

/** Makes a playlist the base playlist of devices, stores and tags. */
export function deployRoutes({ newId }: Pick<HttpDeps, 'newId'>): Route[] {
  return [
    route(operations.deployPlaylist, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        const playlist = await requirePlaylist(work, params.id);
        const targets = [...new Map(body.targets.map((target) => [targetKey(target), target])).values()];
        await requireTargets(work, targets);
        const id = newId('deployment');
        const held = await work.deployments.targets();
        await work.deployments.insert({ id, playlist_id: params.id, created_at: nowMs }, targets);
        const deployedTargets = await work.deployments.targets();
        if (deployedTargets > held) requireRoom({ deployedTargets }, 'targets');
        work.affects('all');
        await work.settle();

        const isReached = reachOf(targets);
        const reached = (await work.devices.members()).filter(({ member }) => isReached(member));
        const warnings =
          playlist.item_count > 0
            ? []
            : [
                {
                  code: 'PLAYLIST_HAS_NO_PLAYABLE_CONTENT',
                  message: 'The playlist has nothing to show; screens keep what they show now.',
                },
              ];
        const data = {
          id,
          playlist_id: params.id,
          targets,
          device_count: reached.length,
          manifest_revisions: Object.fromEntries(
            reached.map(({ member, revision }) => [member.id, revision]),
          ),
          warnings,
        };
        const { manifest_revisions: _, ...summary } = data;
        await work.notify({
          type: 'playlist.deployed',
          resource: params.id,
          data: { deployment: summary, playlist: { id: playlist.id, name: playlist.name } },
        });
        return { data };
      }),
    ),
  ];
}
