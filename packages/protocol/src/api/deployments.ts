import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { idParams, meta, paging, reference, target } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';
import { examplePlaylist } from './playlists.ts';

/** A deployment as it is now: targets that a newer one has taken over are not in it. */
const deploymentDetail = z
  .object({
    id: z.string(),
    playlist_id: z.string(),
    created_at: timestamp,
    targets: z.array(target),
    device_count: z.int(),
    manifest_revisions: z.record(z.string(), z.string()).meta({
      description: 'One page of the devices that the targets reach, by device id, each with its revision',
    }),
    manifest_revisions_meta: meta.meta({ description: 'Paging of `manifest_revisions`' }),
  })
  .meta({ id: 'DeploymentDetail' });

/** In a list; `getDeployment` has the devices. */
const listedDeployment = z
  .object({
    id: z.string(),
    playlist_id: z.string(),
    playlist_name: z.string().nullable(),
    created_at: timestamp,
    targets: z.array(target),
  })
  .meta({ id: 'ListedDeployment' });

const define = operationsOf('Playlists');

/** What is deployed where; `deployPlaylist` is an operation of the playlist. */
export const deploymentOperations = {
  listDeployments: define('listDeployments', 'GET', '/v1/deployments', {
    summary: 'List the deployments in force, newest first',
    description:
      'A deployment is in force while it has a target that no newer one has taken over. With `device_id` those that ' +
      'reach the device now, by itself, its store or its tags: the newest of them is its base playlist.',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        playlist_id: reference.optional(),
        device_id: reference.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(listedDeployment),
    list: 'page or cursor',
    errors: ['DEVICE_NOT_FOUND'],
    example: {
      data: [
        {
          id: 'dep_01kzgm8q2c7d0vqk3m4a5b6c7d',
          playlist_id: examplePlaylist.id,
          playlist_name: examplePlaylist.name,
          created_at: '2026-11-20T08:00:00.000Z',
          targets: [{ type: 'tag', value: 'counter' }],
        },
      ],
    },
  }),
  getDeployment: define('getDeployment', 'GET', '/v1/deployments/{id}', {
    summary: 'A deployment, with the devices that it reaches and their revisions',
    description:
      'The devices are those that its targets reach now, ordered by id. A deployment no longer exists once newer ones ' +
      'have taken over all of its targets.',
    access: 'Read',
    params: idParams,
    query: z.strictObject(paging),
    otherStatuses: [304],
    data: deploymentDetail,
    errors: ['DEPLOYMENT_NOT_FOUND'],
    example: {
      data: {
        id: 'dep_01kzgm8q2c7d0vqk3m4a5b6c7d',
        playlist_id: examplePlaylist.id,
        created_at: '2026-11-20T08:00:00.000Z',
        targets: [{ type: 'tag', value: 'counter' }],
        device_count: 1,
        manifest_revisions: { dev_01kzgm8q2c7d0vqk3m4a5b6c7d: '1f0e5ac2d7b84c3a9e6f' },
        manifest_revisions_meta: { page: 1, limit: 20, total: 1 },
      },
    },
  }),
};
