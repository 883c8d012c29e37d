import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { assetType, playlistMode } from '../primitives.ts';
import {
  exampleTimestamps,
  idParams,
  name,
  reference,
  runOnAnyObject,
  search,
  target,
  timestamps,
} from './fields.ts';
import { DRY_RUN_TEXT, dryRunQuery, triedDeletion, withDryRun } from './dry-run.ts';
import { listPaging, pageOrCursor, sortBy } from './lists.ts';
import { operationsOf } from './operation.ts';
import { deploymentWarning, VIDEO_WARNING_TEXT, videoWarning } from './video-warnings.ts';

const duration = z.int().min(1).max(86_400);
const weight = z.int().min(1).max(1000);

const playlistItem = z
  .object({
    id: z.string(),
    content_id: z.string(),
    /** Counts from 0. */
    position: z.int(),
    /** Seconds; null plays a video to its end. */
    duration: z.int().nullable(),
    weight: z.int().nullable(),
    content: z.object({
      name: z.string(),
      type: assetType,
      format: z.string(),
      url: z.url(),
      thumbnail_url: z.url().nullable(),
    }),
  })
  .meta({ id: 'PlaylistItem' });

const playlistSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    mode: playlistMode,
    item_count: z.int(),
    /** Whole seconds of one pass over all items. */
    total_duration: z.int(),
    ...timestamps,
  })
  .meta({ id: 'PlaylistSummary' });
export const playlist = playlistSummary.extend({ items: z.array(playlistItem) }).meta({ id: 'Playlist' });
const playlistDetail = playlist
  .extend({
    shown_elsewhere: z.boolean().meta({
      description:
        'Whether it is also shown in other stores than those that the person who asks is bound to: they may deploy it to theirs, and ' +
        'not change it. False for everybody else',
    }),
  })
  .meta({ id: 'PlaylistDetail' });
const changedPlaylist = withDryRun(
  playlist.extend({
    warnings: z
      .array(videoWarning)
      .optional()
      .meta({ description: 'Left out by clouds of earlier versions' }),
  }),
).meta({
  id: 'ChangedPlaylist',
});
export type PlaylistSummary = z.infer<typeof playlistSummary>;
export type Playlist = z.infer<typeof playlist>;
export type PlaylistDetail = z.infer<typeof playlistDetail>;

/** An item as sent. An `id` that the playlist already has keeps that item, so that playback continues where it was. */
const itemInput = z
  .strictObject({
    id: reference.optional(),
    content_id: reference,
    duration: duration.nullish(),
    weight: weight.nullish(),
    /** Of an item as it was read; the order of the list counts. */
    position: z.unknown().optional().meta({ description: 'Ignored: the order of the list counts' }),
    /** Of an item as it was read. */
    content: z.unknown().optional().meta({ description: 'Ignored' }),
  })
  .meta({ id: 'PlaylistItemInput' });
export type ItemInput = z.infer<typeof itemInput>;

/** Devices whose revisions the answer to a deployment has. */
export const MAX_DEPLOYED_REVISIONS = 1000;

export const deployment = z
  .object({
    id: z.string(),
    playlist_id: z.string(),
    targets: z.array(target),
    device_count: z.int(),
    manifest_revisions: z.record(z.string(), z.string()).meta({
      description: `The revision of each device that the targets reach, by device id; of ${MAX_DEPLOYED_REVISIONS.toLocaleString('en')} of them when there are more; \`GET /v1/deployments/{id}\` pages through all`,
    }),
    warnings: z.array(deploymentWarning),
  })
  .meta({ id: 'Deployment' });

const itemInputs = z.array(itemInput).max(LIMITS.itemsPerPlaylist);

const withoutWeight = z.object({ weight: z.null().optional() });

/** Runs even when other fields are invalid, so it checks the raw input. */
function requireWeights(
  { mode, items: sentItems }: { mode?: unknown; items?: unknown },
  context: z.RefinementCtx,
) {
  // A list over the limit is rejected for that alone.
  if (mode !== 'weighted' || !Array.isArray(sentItems) || sentItems.length > LIMITS.itemsPerPlaylist) {
    return;
  }
  for (const [index, item] of sentItems.entries()) {
    if (withoutWeight.safeParse(item).success) {
      context.addIssue({
        code: 'custom',
        path: ['items', index, 'weight'],
        message: 'is required when mode is weighted',
      });
    }
  }
}

const PLAYLIST_LIMITS =
  `At most ${LIMITS.itemsPerPlaylist} items per playlist, ${LIMITS.playlists} playlists and ${LIMITS.items} items an ` +
  'organization; more is 400.';

const define = operationsOf('Playlists');
const exampleSummary = {
  id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Morning',
  mode: 'sequential',
  item_count: 1,
  total_duration: 10,
  ...exampleTimestamps,
};
export const examplePlaylist = {
  ...exampleSummary,
  items: [
    {
      id: 'item_01kzgm8q2c7d0vqk3m4a5b6c7d',
      content_id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d',
      position: 0,
      duration: 10,
      weight: null,
      content: {
        name: 'Breakfast menu',
        type: 'image',
        format: 'png',
        url: 'https://signage.example/cdn/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
        thumbnail_url: null,
      },
    },
  ],
};

export const exampleDeployment = {
  id: 'dep_01kzgm8q2c7d0vqk3m4a5b6c7d',
  playlist_id: exampleSummary.id,
  targets: [{ type: 'tag', value: 'counter' }],
  device_count: 1,
  manifest_revisions: { dev_01kzgm8q2c7d0vqk3m4a5b6c7d: '1f0e5ac2d7b84c3a9e6f' },
  warnings: [],
};

export const playlistOperations = {
  listPlaylists: define('listPlaylists', 'GET', '/v1/playlists', {
    summary: 'List playlists, newest first',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        sort: sortBy('name', 'created_at', 'updated_at').optional(),
        search: search.optional(),
        content_id: reference.optional().meta({ description: 'Playlists that have this asset' }),
      })
      .refine(...pageOrCursor),
    data: z.array(playlistSummary),
    list: 'page or cursor',
    example: { data: [exampleSummary] },
  }),
  createPlaylist: define('createPlaylist', 'POST', '/v1/playlists', {
    summary: 'Create a playlist',
    description: PLAYLIST_LIMITS,
    access: 'Write',
    body: z
      .strictObject({ name, mode: playlistMode.default('sequential'), items: itemInputs.default([]) })
      .superRefine(requireWeights, runOnAnyObject),
    status: 201,
    data: playlist,
    errors: ['CONTENT_NOT_FOUND'],
    example: {
      body: {
        name: 'Morning',
        mode: 'sequential',
        items: [{ content_id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d', duration: 10 }],
      },
      data: examplePlaylist,
    },
  }),
  getPlaylist: define('getPlaylist', 'GET', '/v1/playlists/{id}', {
    otherStatuses: [304],
    summary: 'One playlist with its items',
    access: 'Read',
    params: idParams,
    data: playlistDetail,
    errors: ['PLAYLIST_NOT_FOUND'],
    example: { data: { ...examplePlaylist, shown_elsewhere: false } },
  }),
  updatePlaylist: define('updatePlaylist', 'PATCH', '/v1/playlists/{id}', {
    summary: 'Change name, mode or all items',
    description:
      '`items` replaces all items. An item sent with its id, or with the same content, keeps its id. ' +
      `${VIDEO_WARNING_TEXT} ${PLAYLIST_LIMITS} ${DRY_RUN_TEXT}`,
    access: 'Write',
    params: idParams,
    query: dryRunQuery,
    body: z
      .strictObject({ name: name.optional(), mode: playlistMode.optional(), items: itemInputs.optional() })
      .superRefine(requireWeights, runOnAnyObject),
    data: changedPlaylist,
    errors: ['PRECONDITION_FAILED', 'PLAYLIST_NOT_FOUND', 'CONTENT_NOT_FOUND'],
    example: { body: { name: 'Morning' }, data: { ...examplePlaylist, warnings: [] } },
  }),
  addPlaylistItem: define('addPlaylistItem', 'POST', '/v1/playlists/{id}/items', {
    summary: 'Add an item at the end or at a position',
    description: `${VIDEO_WARNING_TEXT} ${PLAYLIST_LIMITS} ${DRY_RUN_TEXT}`,
    access: 'Write',
    params: idParams,
    query: dryRunQuery,
    otherStatuses: [200],
    body: z.strictObject({
      content_id: reference,
      duration: duration.nullish(),
      weight: weight.nullish(),
      position: z.int().min(0).max(100_000).optional(),
    }),
    status: 201,
    data: changedPlaylist,
    errors: ['PLAYLIST_NOT_FOUND', 'CONTENT_NOT_FOUND'],
    example: {
      body: { content_id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d', duration: 10, position: 0 },
      data: { ...examplePlaylist, warnings: [] },
    },
  }),
  removePlaylistItem: define('removePlaylistItem', 'DELETE', '/v1/playlists/{id}/items/{item_id}', {
    summary: 'Remove an item',
    description: DRY_RUN_TEXT,
    access: 'Write',
    params: idParams.extend({ item_id: z.string().max(200) }),
    query: dryRunQuery,
    data: triedDeletion,
    errors: ['PLAYLIST_NOT_FOUND', 'ITEM_NOT_FOUND'],
    example: { data: { id: 'item_01kzgm8q2c7d0vqk3m4a5b6c7d', deleted: true } },
  }),
  deployPlaylist: define('deployPlaylist', 'POST', '/v1/playlists/{id}/deploy', {
    summary: 'Deploy as the base playlist of devices, stores, tags or all devices',
    description: `At most ${LIMITS.deployedTargets} devices, stores and tags per organization have a deployed playlist; more is 400. ${VIDEO_WARNING_TEXT} ${DRY_RUN_TEXT}`,
    access: 'Write',
    params: idParams,
    query: dryRunQuery,
    otherStatuses: [200],
    body: z.strictObject({ targets: z.array(target).min(1).max(1000) }),
    status: 202,
    data: withDryRun(deployment).meta({ id: 'NewDeployment' }),
    errors: ['PLAYLIST_NOT_FOUND', 'DEVICE_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: {
      body: { targets: [{ type: 'tag', value: 'counter' }] },
      data: exampleDeployment,
    },
  }),
  deletePlaylist: define('deletePlaylist', 'DELETE', '/v1/playlists/{id}', {
    summary: 'Delete a playlist that no schedule uses',
    description: DRY_RUN_TEXT,
    access: 'Admin',
    params: idParams,
    query: dryRunQuery,
    data: triedDeletion,
    errors: ['PRECONDITION_FAILED', 'PLAYLIST_NOT_FOUND', 'PLAYLIST_IN_USE'],
    example: { data: { id: exampleSummary.id, deleted: true } },
  }),
};
