import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { assetType, sha256 } from '../primitives.ts';
import {
  deletionResult,
  exampleTimestamps,
  httpAddress,
  idParams,
  name,
  namedReference,
  reference,
  search,
  tag as tagField,
  tags,
  timestamps,
} from './fields.ts';
import { listPaging, pageOrCursor, sortBy } from './lists.ts';
import { operationsOf } from './operation.ts';
import { exampleVideoWarning, videoWarning } from './video-warnings.ts';

/** Maximum size of one file. */
export const MAX_FILE_BYTES = 2_147_483_648;

export const asset = z
  .object({
    id: z.string(),
    name: z.string(),
    type: assetType,
    /** Sniffed from the bytes: `jpeg`, `png`, `webp`, `gif`, `avif`, `mp4`, `webm`. */
    format: z.string(),
    width: z.int(),
    height: z.int(),
    /** Bytes. */
    size: z.int(),
    /** Whole seconds of a video; null for an image. */
    duration: z.int().nullable(),
    codec: z.string().nullable().meta({
      description:
        'Of a video, as RFC 6381 writes it: `avc1.640028`; null for an image, and when it is not known',
    }),
    frame_rate: z.number().nullable().meta({
      description: 'Frames per second of a video; null for an image, and when it is not known',
    }),
    sha256,
    url: z.url(),
    thumbnail_url: z.url().nullable().meta({
      description: 'A small WebP picture; null for a video of which this cloud cannot make one (yet)',
    }),
    folder_id: z.string().nullable(),
    tags: z.array(z.string()),
    ...timestamps,
  })
  .meta({ id: 'Asset' });
export type Asset = z.infer<typeof asset>;

const replacedAsset = asset
  .extend({
    warnings: z
      .array(videoWarning)
      .optional()
      .meta({
        description:
          'Of the new file, when it is a video that some of the devices which show it cannot play; as ' +
          '`GET /v1/content/{id}/warnings`. Left out by clouds of earlier versions',
      }),
  })
  .meta({ id: 'ReplacedAsset' });

export const folder = z
  .object({
    id: z.string(),
    name: z.string(),
    parent_id: z.string().nullable(),
    ...timestamps,
  })
  .meta({ id: 'Folder' });
export type Folder = z.infer<typeof folder>;

const define = operationsOf('Content');
const defineForFolders = operationsOf('Folders');
export const exampleAsset = {
  id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Breakfast menu',
  type: 'image',
  format: 'png',
  width: 1920,
  height: 1080,
  size: 482133,
  duration: null,
  codec: null,
  frame_rate: null,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  url: 'https://signage.example/cdn/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
  thumbnail_url: null,
  folder_id: null,
  tags: ['menu'],
  ...exampleTimestamps,
};
const exampleFolder = {
  id: 'folder_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Menus',
  parent_id: null,
  ...exampleTimestamps,
};

const uploadForm = z.strictObject({
  file: z.file().meta({ description: 'The media file' }),
  name: name.optional().meta({ description: 'Defaults to the file name' }),
  tags: z.string().max(5000).optional().meta({ description: 'Comma-separated' }),
  folder_id: reference.optional(),
});

const REJECTED_FILES_TEXT =
  'A file that no screen can show is 415 `UNSUPPORTED_MEDIA_TYPE`; `details.reason` is `unsupported_format`, ' +
  '`unsupported_codec`, `undecodable`, `no_picture`, `too_many_pixels` (more than 100 million, or 1,000 million in all ' +
  'frames of an animation), `too_slow` (10 seconds), `too_much_memory` (512 MB) or `crashed`. ' +
  'While too many files wait to be checked it is 503 `UNAVAILABLE` with `Retry-After`.';
const LIMIT_TEXT = `At most ${LIMITS.assets} assets per organization; more is 400.`;

export const contentOperations = {
  uploadContent: define('uploadContent', 'POST', '/v1/content/upload', {
    summary: 'Upload an image or a video (at most 2 GB)',
    description:
      'JPEG, PNG, WebP, GIF, AVIF, MP4/MOV and WebM, detected from the bytes. Chunked transfer encoding works. ' +
      'Bytes that are already stored are not stored twice; they replace a stored file that was damaged. ' +
      `${REJECTED_FILES_TEXT} ${LIMIT_TEXT}`,
    access: 'Write',
    form: true,
    body: uploadForm,
    status: 201,
    data: asset,
    errors: ['FILE_TOO_LARGE', 'FOLDER_NOT_FOUND', 'INSUFFICIENT_STORAGE'],
    example: { body: { file: '(bytes)', name: 'Breakfast menu', tags: 'menu' }, data: exampleAsset },
  }),
  importContent: define('importContent', 'POST', '/v1/content/upload-url', {
    summary: 'Fetch a file from a URL',
    description: `The file is checked like an upload. ${REJECTED_FILES_TEXT} ${LIMIT_TEXT}`,
    access: 'Write',
    body: z.strictObject({
      url: httpAddress(4000),
      name: name.optional(),
      tags: tags.optional(),
      folder_id: reference.nullish(),
    }),
    status: 201,
    data: asset,
    errors: ['IMPORT_FAILED', 'FILE_TOO_LARGE', 'FOLDER_NOT_FOUND', 'INSUFFICIENT_STORAGE'],
    example: {
      body: { url: 'https://www.example.com/menu.png', name: 'Breakfast menu' },
      data: exampleAsset,
    },
  }),
  listContent: define('listContent', 'GET', '/v1/content', {
    summary: 'List content, newest first',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        sort: sortBy('name', 'created_at', 'updated_at', 'size').optional(),
        type: assetType.optional(),
        tag: tagField.optional(),
        folder_id: reference.optional().meta({ description: 'A folder, or `root` for what is in none' }),
        search: search.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(asset),
    list: 'page or cursor',
    example: { data: [exampleAsset] },
  }),
  getContent: define('getContent', 'GET', '/v1/content/{id}', {
    otherStatuses: [304],
    summary: 'One asset',
    access: 'Read',
    params: idParams,
    data: asset,
    errors: ['CONTENT_NOT_FOUND'],
    example: { data: exampleAsset },
  }),
  updateContent: define('updateContent', 'PATCH', '/v1/content/{id}', {
    summary: 'Change name, tags or folder',
    access: 'Write',
    params: idParams,
    body: z.strictObject({
      name: name.optional(),
      tags: tags.optional(),
      folder_id: reference.nullish(),
    }),
    data: asset,
    errors: ['PRECONDITION_FAILED', 'CONTENT_NOT_FOUND', 'FOLDER_NOT_FOUND'],
    example: { body: { tags: ['menu'] }, data: exampleAsset },
  }),
  replaceContent: define('replaceContent', 'POST', '/v1/content/{id}/replace', {
    summary: 'Replace the file of an asset',
    description:
      'The asset keeps its id, its place in playlists and what is known of its plays; every screen that shows it gets the new ' +
      'file, and shows the old one until it has it. Name, tags and folder stay unless they are given. The form is that of ' +
      '`POST /v1/content/upload`; in a resumable upload the key `replaces` of `Upload-Metadata` does the same.\n\n' +
      'An image can replace a video only where each playlist item with it has a duration: an image has no end of its own. ' +
      'Otherwise it is 409 `CONFLICT` with `details.reason` `duration_required`; `details.playlists` are the first ten of them.\n\n' +
      REJECTED_FILES_TEXT,
    access: 'Write',
    form: true,
    changes: '/v1/content/{id}',
    params: idParams,
    body: uploadForm.extend({
      name: name.optional().meta({ description: 'The name stays when this is missing' }),
    }),
    data: replacedAsset,
    errors: [
      'PRECONDITION_FAILED',
      'CONTENT_NOT_FOUND',
      'FILE_TOO_LARGE',
      'FOLDER_NOT_FOUND',
      'INSUFFICIENT_STORAGE',
    ],
    example: { body: { file: '(bytes)' }, data: { ...exampleAsset, warnings: [] } },
  }),
  listContentWarnings: define('listContentWarnings', 'GET', '/v1/content/{id}/warnings', {
    summary: 'Which devices that show an asset cannot play it',
    description:
      'Of a video, as far as devices have reported what they can; at most one warning of each kind. Devices that get a copy ' +
      'in its place, and those that show another playlist, are left out. The same is in `warnings` of playlists and deployments.',
    access: 'Read',
    params: idParams,
    data: z.array(videoWarning),
    errors: ['CONTENT_NOT_FOUND'],
    example: { data: [exampleVideoWarning] },
  }),
  deleteContent: define('deleteContent', 'DELETE', '/v1/content/{id}', {
    summary: 'Delete an asset and remove it from the playlists that use it',
    access: 'Admin',
    params: idParams,
    data: deletionResult.extend({ playlists: z.array(namedReference) }),
    errors: ['PRECONDITION_FAILED', 'CONTENT_NOT_FOUND'],
    example: {
      data: {
        id: exampleAsset.id,
        deleted: true,
        playlists: [{ id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Morning' }],
      },
    },
  }),
  listFolders: defineForFolders('listFolders', 'GET', '/v1/content/folders', {
    summary: 'List folders, newest first',
    access: 'Read',
    query: z
      .strictObject({ ...listPaging, sort: sortBy('name', 'created_at', 'updated_at').optional() })
      .refine(...pageOrCursor),
    data: z.array(folder),
    list: 'page or cursor',
    example: { data: [exampleFolder] },
  }),
  createFolder: defineForFolders('createFolder', 'POST', '/v1/content/folders', {
    summary: 'Create a folder',
    description: `At most ${LIMITS.folders} folders per organization; more is 400.`,
    access: 'Write',
    body: z.strictObject({ name, parent_id: reference.nullish() }),
    status: 201,
    data: folder,
    errors: ['FOLDER_NOT_FOUND'],
    example: { body: { name: 'Menus', parent_id: null }, data: exampleFolder },
  }),
  getFolder: defineForFolders('getFolder', 'GET', '/v1/content/folders/{id}', {
    otherStatuses: [304],
    summary: 'One folder',
    access: 'Read',
    params: idParams,
    data: folder,
    errors: ['FOLDER_NOT_FOUND'],
    example: { data: exampleFolder },
  }),
  updateFolder: defineForFolders('updateFolder', 'PATCH', '/v1/content/folders/{id}', {
    summary: 'Rename or move a folder (never into itself)',
    access: 'Write',
    params: idParams,
    body: z.strictObject({ name: name.optional(), parent_id: reference.nullish() }),
    data: folder,
    errors: ['PRECONDITION_FAILED', 'FOLDER_NOT_FOUND', 'CONFLICT'],
    example: { body: { name: 'Menus' }, data: exampleFolder },
  }),
  deleteFolder: defineForFolders('deleteFolder', 'DELETE', '/v1/content/folders/{id}', {
    summary: 'Delete an empty folder',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['PRECONDITION_FAILED', 'FOLDER_NOT_FOUND', 'FOLDER_NOT_EMPTY'],
    example: { data: { id: exampleFolder.id, deleted: true } },
  }),
};
