import {
  deploymentOperations,
  MAX_DEPLOYED_REVISIONS,
  playlistOperations as operations,
} from '@placard/protocol/api';
import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import type { Transaction } from '../../database/cloud-database.ts';
import type { ListedDeployment } from '../../database/deployments.ts';
import type { DeviceRow } from '../../database/devices.ts';
import { offsetOf } from '../../database/list-part.ts';
import { toIso } from '../../domain/iso-time.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound, requireTargets } from '../request-checks.ts';
import { requireDevice } from '../devices/device-detail.ts';
import { findVideoWarnings } from '../video-warnings/find-video-warnings.ts';
import { requirePlaylist } from './playlists.ts';
import { describeDeployment, storeDeployment } from './store-deployment.ts';

/** Deploys a playlist to devices, stores and tags: it is shown when no rule is active. */
export function deployRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(operations.deployPlaylist, async ({ params, body, nowMs, actor, commit }) => {
      // Before the transaction, because it takes 30 ms when the targets reach 100,000 devices.
      const countBefore = (await database.devices.findAllReached(body.targets, createYieldIfLong())).size;
      const videoWarnings = await findVideoWarnings(database, {
        content: await database.playlists.listVideos([params.id]),
        findDevices: (yieldIfLong) =>
          database.devices.findAllReached(body.targets, yieldIfLong, actor?.stores ?? undefined),
      });
      return commit(async (tx) => {
        const playlist = await requirePlaylist(tx, params.id);
        const targets = [...new Map(body.targets.map((target) => [targetKey(target), target])).values()];
        await requireTargets(tx, targets);
        const id = newId('deployment');
        const deployment = { id, playlist, targets, nowMs };
        await storeDeployment(tx, deployment);
        // All of many would take seconds; `getDeployment` pages through them.
        const reached = await tx.devices.findReached(
          targets,
          MAX_DEPLOYED_REVISIONS + 1,
          createYieldIfLong(),
        );
        const listed = reached.slice(0, MAX_DEPLOYED_REVISIONS);
        const deviceCount =
          reached.length > MAX_DEPLOYED_REVISIONS ? Math.max(reached.length, countBefore) : reached.length;
        const summary = describeDeployment(tx, deployment, deviceCount);
        return {
          data: {
            ...summary,
            manifest_revisions: await revisionsOf(tx, listed),
            // Not in the event, which people read who are bound to other stores.
            warnings: [...summary.warnings, ...videoWarnings],
          },
        };
      });
    }),
    route(deploymentOperations.listDeployments, async ({ query: { device_id, ...query }, actor }) => {
      const device = device_id === undefined ? undefined : await requireDevice(database, device_id);
      const page = await database.deployments.list({
        ...query,
        reaching: device && targetsReaching(device),
        stores: actor?.stores ?? undefined,
      });
      return listResult(page, presentDeployment, query);
    }),
    route(deploymentOperations.getDeployment, async ({ params, query, actor }) => {
      const stores = actor?.stores ?? undefined;
      const { id, playlist_id, created_at } = requireFound(
        await database.deployments.find(params.id),
        'DEPLOYMENT_NOT_FOUND',
      );
      const targets = await database.deployments.targetsOf(id, stores);
      // None when it is for other stores alone.
      requireFound(targets[0], 'DEPLOYMENT_NOT_FOUND');
      const found = await database.devices.findAllReached(targets, createYieldIfLong(), stores);
      const reached = [...found].toSorted();
      const start = offsetOf(query);
      return {
        data: {
          id,
          playlist_id,
          created_at: toIso(created_at),
          targets,
          device_count: reached.length,
          manifest_revisions: await revisionsOf(database, reached.slice(start, start + query.limit)),
          manifest_revisions_meta: { ...query, total: reached.length },
        },
      };
    }),
  ];
}

const presentDeployment = ({ created_at, ...row }: ListedDeployment) => ({
  ...row,
  created_at: toIso(created_at),
});

/** All targets that the device is reached through. */
const targetsReaching = ({ id, store_id, tags }: DeviceRow): Target[] => [
  { type: 'all' },
  { type: 'device', id },
  ...(store_id === null ? [] : [{ type: 'store' as const, id: store_id }]),
  ...tags.map((value) => ({ type: 'tag' as const, value })),
];

async function revisionsOf(
  database: Pick<Transaction, 'manifestBuilder' | 'devices'>,
  deviceIds: readonly string[],
): Promise<Record<string, string>> {
  const manifests = await database.manifestBuilder();
  const yieldIfLong = createYieldIfLong();
  const revisions: Record<string, string> = {};
  for (const device of await database.devices.findManifestDevices(deviceIds)) {
    revisions[device.id] = manifests.revisionOf(device);
    await yieldIfLong();
  }
  return revisions;
}
