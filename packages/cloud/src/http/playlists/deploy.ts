import { MAX_DEPLOYED_REVISIONS, playlistOperations as operations } from '@placard/protocol/api';
import { targetKey } from '@placard/schedule';
import type { Transaction } from '../../database/cloud-database.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireWithinLimits, requireTargets } from '../request-checks.ts';
import { requirePlaylist } from './playlists.ts';

/** Deploys a playlist to devices, stores and tags: it is shown when no rule is active. */
export function deployRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(operations.deployPlaylist, async ({ params, body, nowMs, commit }) => {
      // Before the transaction, because it takes 30 ms when the targets reach 100,000 devices.
      const countBefore = await database.devices.countReached(body.targets, createYieldIfLong());
      return commit(async (tx) => {
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
        tx.invalidateManifests({ deployedTargets: targets });
        // All of many would take seconds; the detail of each device has its revision as well.
        const reached = await tx.devices.findReached(
          targets,
          MAX_DEPLOYED_REVISIONS + 1,
          createYieldIfLong(),
        );
        const listed = reached.slice(0, MAX_DEPLOYED_REVISIONS);
        const deviceCount =
          reached.length > MAX_DEPLOYED_REVISIONS ? Math.max(reached.length, countBefore) : reached.length;
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
          device_count: deviceCount,
          manifest_revisions: await revisionsOf(tx, listed),
          warnings,
        };
        const { manifest_revisions: _, ...summary } = data;
        await tx.notifyWebhooks({
          type: 'playlist.deployed',
          resource: params.id,
          data: { deployment: summary, playlist: { id: playlist.id, name: playlist.name } },
        });
        return { data };
      });
    }),
  ];
}

async function revisionsOf(tx: Transaction, deviceIds: readonly string[]): Promise<Record<string, string>> {
  const manifests = await tx.manifestBuilder();
  const yieldIfLong = createYieldIfLong();
  const revisions: Record<string, string> = {};
  for (const device of await tx.devices.findManifestDevices(deviceIds)) {
    revisions[device.id] = manifests.revisionOf(device);
    await yieldIfLong();
  }
  return revisions;
}
