import { z } from 'zod';
import { sha256, timestamp } from '../primitives.ts';
import { asset, MAX_FILE_BYTES } from './content.ts';
import { exampleTimestamps, idParams, timestamps } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';

/** The version of the tus protocol, in `Tus-Resumable`. */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = ['creation', 'expiration', 'checksum', 'termination'] as const;
/** Algorithms of `Upload-Checksum`. */
export const TUS_CHECKSUMS = ['sha1', 'sha256', 'md5'] as const;
/** Content type of the bytes of an upload. */
export const UPLOAD_BYTES = 'application/offset+octet-stream';

/**
 * `receiving`: bytes are missing. `processing`: all have arrived, and the file is being checked. `finished`: the asset exists.
 * `failed`: `error` says why; nothing is kept.
 */
export const uploadState = z.enum(['receiving', 'processing', 'finished', 'failed']);
export type UploadState = z.infer<typeof uploadState>;

export const upload = z
  .object({
    id: z.string(),
    name: z.string(),
    state: uploadState,
    /** Bytes that are stored; the upload continues there. */
    offset: z.int(),
    /** Bytes of the whole file. */
    size: z.int(),
    /** The hash that the client has announced. */
    sha256: sha256.nullable(),
    asset_id: z.string().nullable(),
    /** The asset whose file this one is to replace; null for a new asset. */
    replaces: z.string().nullable(),
    /** Why it has failed, as the last request was told. */
    error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }).nullable(),
    /** When it is deleted unless it continues; a finished one is forgotten then. */
    expires_at: timestamp,
    ...timestamps,
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof upload>;

/** Null until the upload has finished, and when the asset was deleted since. */
export const uploadDetail = upload.extend({ asset: asset.nullable() }).meta({ id: 'UploadDetail' });
export type UploadDetail = z.infer<typeof uploadDetail>;

export const exampleUpload = {
  id: 'upload_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Breakfast menu',
  state: 'receiving',
  offset: 8_388_608,
  size: 482_133_000,
  sha256: null,
  asset_id: null,
  replaces: null,
  error: null,
  expires_at: '2026-11-21T08:00:00.000Z',
  ...exampleTimestamps,
} satisfies Upload;

const wholeNumber = (description: string, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().max(max))
    .meta({ description, example: '482133000' });

const tusResumable = z
  .string()
  .optional()
  .meta({ description: `\`${TUS_VERSION}\`; anything else is 412`, example: TUS_VERSION });

export const createUploadHeaders = z.object({
  'tus-resumable': tusResumable,
  'upload-length': wholeNumber('Size of the file in bytes', Number.MAX_SAFE_INTEGER).refine(
    (size) => size > 0,
    'must be at least 1',
  ),
  'upload-metadata': z
    .string()
    .max(8192)
    .default('')
    .meta({
      description:
        'Keys with values in Base64, separated by commas: `filename`, `name` (the file name by default), `tags` (separated by ' +
        'commas), `folder_id`, `sha256` (of the whole file, hexadecimal: another file fails), `replaces` (the id of an asset: the ' +
        'file replaces that of the asset, as with `POST /v1/content/{id}/replace`; what is not given stays). Other keys are ' +
        'ignored',
      example: 'filename bWVudS5tcDQ=,tags bWVudSxicmVha2Zhc3Q=',
    }),
});

export const appendUploadHeaders = z.object({
  'tus-resumable': tusResumable,
  'upload-offset': wholeNumber('Where these bytes begin: the `Upload-Offset` of the upload', MAX_FILE_BYTES),
  'upload-checksum': z
    .string()
    .max(200)
    .optional()
    .meta({
      description:
        `Algorithm (\`${TUS_CHECKSUMS.join('`, `')}\`) and digest in Base64 of the body. The bytes are then stored when all of ` +
        'them have arrived and the checksum is right, or not at all',
      example: 'sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=',
    }),
});

const define = operationsOf('Uploads');
const OFFSET_HEADERS = ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires'];

export const uploadOperations = {
  createUpload: define('createUpload', 'POST', '/v1/content/uploads', {
    summary: 'Begin a resumable upload (tus 1.0)',
    description:
      'For large files and bad lines: an upload that is cut off continues where it was, also after a restart of the cloud. Any ' +
      `client of tus 1.0 can be used (extensions ${TUS_EXTENSIONS.join(', ')}). The result is the same as of ` +
      '`POST /v1/content/upload`.\n\n' +
      'A key may have 50 unfinished uploads of 32 GiB together, the organization 500 of 256 GiB; more is 429 with ' +
      '`details.reason` `too_many_uploads`. An upload expires 24 hours after its last bytes (the operator can change that), at ' +
      'the latest after seven times as long.',
    access: 'Write',
    requestHeaders: createUploadHeaders,
    responseHeaders: ['Location', 'Tus-Resumable', 'Upload-Expires'],
    status: 201,
    data: upload,
    errors: [
      'TUS_VERSION_UNSUPPORTED',
      'FILE_TOO_LARGE',
      'CONTENT_NOT_FOUND',
      'FOLDER_NOT_FOUND',
      'INSUFFICIENT_STORAGE',
    ],
    example: { data: { ...exampleUpload, offset: 0 } },
  }),
  listUploads: define('listUploads', 'GET', '/v1/content/uploads', {
    summary: 'List resumable uploads, newest first',
    access: 'Read',
    query: z.strictObject({ ...listPaging, state: uploadState.optional() }).refine(...pageOrCursor),
    data: z.array(upload),
    list: 'page or cursor',
    example: { data: [exampleUpload] },
  }),
  getUpload: define('getUpload', 'GET', '/v1/content/uploads/{id}', {
    summary: 'One upload: how far it is, then its asset',
    description:
      '`HEAD` tells a client of tus where to continue (`Upload-Offset`, `Upload-Length`), and ends a request of the key that is ' +
      'still sending bytes; it is 410 for an upload that cannot continue. Both, and `PATCH`, have a limit of their own: 600 ' +
      'requests a minute and key.',
    access: 'Read',
    ownRateLimit: true,
    params: idParams,
    responseHeaders: [...OFFSET_HEADERS, 'Upload-Length', 'Upload-Metadata', 'Placard-Asset'],
    otherStatuses: [304],
    data: uploadDetail,
    errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_GONE', 'TUS_VERSION_UNSUPPORTED'],
    example: { data: { ...exampleUpload, asset: null } },
  }),
  appendUpload: define('appendUpload', 'PATCH', '/v1/content/uploads/{id}', {
    summary: 'Send bytes of an upload',
    description:
      'What arrives before a connection breaks is kept. With the last byte the file is checked like any upload, and the header ' +
      '`Placard-Asset` of the response is the id of the asset; when that response is lost, `GET` says the same. Only the key ' +
      'that began the upload, or an Admin, may continue it. At another offset than that of the upload it is 409, and more bytes ' +
      'than are missing are 400, also of a finished upload.\n\n' +
      'Limited to 600 requests a minute and key, which do not count with the others: a bad line may need many.',
    access: 'Write',
    ownRateLimit: true,
    params: idParams,
    bytes: UPLOAD_BYTES,
    requestHeaders: appendUploadHeaders,
    responseHeaders: [...OFFSET_HEADERS, 'Placard-Asset'],
    status: 204,
    data: z.null(),
    errors: [
      'UPLOAD_NOT_FOUND',
      'UPLOAD_GONE',
      'TUS_VERSION_UNSUPPORTED',
      'CHECKSUM_MISMATCH',
      'CONFLICT',
      'CONTENT_NOT_FOUND',
      'FOLDER_NOT_FOUND',
      'INSUFFICIENT_STORAGE',
    ],
    example: { data: null },
  }),
  deleteUpload: define('deleteUpload', 'DELETE', '/v1/content/uploads/{id}', {
    summary: 'Give up an upload; an asset that it has become stays',
    description: 'Only the key that began the upload, or an Admin.',
    access: 'Write',
    params: idParams,
    responseHeaders: ['Tus-Resumable'],
    status: 204,
    data: z.null(),
    errors: ['PRECONDITION_FAILED', 'UPLOAD_NOT_FOUND', 'CONFLICT'],
    example: { data: null },
  }),
};
