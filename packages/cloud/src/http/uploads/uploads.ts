import {
  appendUploadHeaders,
  createUploadHeaders,
  MAX_FILE_BYTES,
  uploadOperations as operations,
} from '@placard/protocol/api';
import type { UploadDetail } from '@placard/protocol/api';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { describeUpload, parseUploadMetadata } from '../../domain/upload-metadata.ts';
import { findUploadExcess, uploadExpiresMs } from '../../domain/upload-rules.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Caller, Route } from '../../http-server/operation-route.ts';
import { presentAsset } from '../../http-server/present.ts';
import { requireAsset } from '../content/content.ts';
import { requireFolder } from '../content/folders.ts';
import { fileTooLargeError } from '../content/upload.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound, requireWithinLimits } from '../request-checks.ts';
import { createAppender } from './append-bytes.ts';
import { goneError } from './finish-uploads.ts';
import type { UploadFinisher } from './finish-uploads.ts';
import { presentUpload } from './present-upload.ts';
import type { RunningRequests } from './running-requests.ts';
import { readHeaders, requireTus } from './tus.ts';

const requireUpload = async ({ uploads }: Pick<Repositories, 'uploads'>, id: string) =>
  requireFound(await uploads.find(id), 'UPLOAD_NOT_FOUND');

export interface UploadRouteDeps extends HttpDeps {
  uploadFinisher: UploadFinisher;
  uploadRequests: RunningRequests;
}

/** Uploads that continue where they were cut off, by the protocol tus 1.0. */
export function resumableUploadRoutes(deps: UploadRouteDeps): Route[] {
  const { database, uploadFiles, disk, retention, newId, contentUrls, uploadRequests: running } = deps;
  const appendBytes = createAppender(deps);
  const presentDetail = async ({ assets }: Repositories, row: Row<'uploads'>): Promise<UploadDetail> => {
    const asset = row.asset_id === null ? undefined : await assets.find(row.asset_id);
    return { ...presentUpload(row), asset: asset ? presentAsset(asset, contentUrls) : null };
  };
  const read = async (source: Repositories, { id }: { id: string }) =>
    presentDetail(source, await requireUpload(source, id));

  return [
    route(operations.createUpload, async ({ request, actor, nowMs, commit }) => {
      requireTus(request);
      const headers = readHeaders(createUploadHeaders, request);
      if (request.headers['upload-concat'] !== undefined) {
        throw validationError([
          { path: 'upload-concat', message: 'is not supported: send the file as one upload' },
        ]);
      }
      const size = headers['upload-length'];
      const metadata = headers['upload-metadata'];
      const parsed = parseUploadMetadata(metadata);
      if ('problems' in parsed) {
        throw validationError(parsed.problems);
      }
      if (size > MAX_FILE_BYTES) {
        throw fileTooLargeError();
      }
      disk.requireSpaceFor(size);
      const { folderId, replaces } = parsed.description;
      if (replaces !== null) {
        requireMayReplace(actor);
      }
      const id = newId('upload');
      const actorId = actor?.id ?? '';
      const expiresMs = uploadExpiresMs({ createdMs: nowMs, nowMs }, retention.uploadHours);
      return commit(async (tx) => {
        if (folderId !== null) {
          await requireFolder(tx, folderId);
        }
        if (replaces === null) {
          requireWithinLimits({ assets: (await tx.assets.count()) + 1 }, '');
        } else {
          await requireAsset(tx, replaces.id);
        }
        await tx.uploads.insert({
          id,
          actor_type: actor?.type ?? 'api_key',
          actor_id: actorId,
          actor_name: actor?.name ?? '',
          address: request.ip,
          request_id: request.id,
          metadata,
          size,
          received: 0,
          state: 'receiving',
          asset_id: null,
          error: null,
          created_at: nowMs,
          updated_at: nowMs,
          expires_at: expiresMs,
          busy_until: 0,
        });
        const excess = findUploadExcess({
          key: await tx.uploads.countUnfinished(actorId),
          organization: await tx.uploads.countUnfinished(null),
        });
        if (excess !== null) {
          const details = { reason: 'too_many_uploads' };
          throw new ApiError('RATE_LIMITED', excess, { details, headers: { 'retry-after': '60' } });
        }
        return {
          data: presentUpload(await requireUpload(tx, id)),
          headers: { 'upload-expires': new Date(expiresMs).toUTCString() },
        };
      });
    }),
    route(operations.listUploads, async ({ query }) =>
      listResult(await database.uploads.list(query), presentUpload, query),
    ),
    resourceRoute(database, operations.getUpload, { read }, async ({ params, request, actor, nowMs }) => {
      const isHead = request.method === 'HEAD';
      if (isHead) {
        requireTus(request);
        if (mayContinue(await requireUpload(database, params.id), actor)) {
          await running.stop(params.id);
        }
      }
      const row = await requireUpload(database, params.id);
      if (isHead) {
        requireLasting(row, nowMs);
        const { bytes } = await database.uploads.countParts(row.id);
        if (row.state === 'receiving' && !(await uploadFiles.has(row, bytes))) {
          throw goneError('its bytes are not on this node.');
        }
      }
      return { data: await presentDetail(database, row), headers: tusHeadersOf(row) };
    }),
    route(operations.appendUpload, async ({ params, request, actor, nowMs }) => {
      requireTus(request);
      const headers = readHeaders(appendUploadHeaders, request);
      const before = await requireUpload(database, params.id);
      requireOwner(before, actor);
      if (describeUpload(before.metadata).replaces !== null) {
        requireMayReplace(actor);
      }
      const row = await running.replace(params.id, request.raw, async () => {
        const upload = await requireUpload(database, params.id);
        requireLasting(upload, nowMs);
        return appendBytes(upload, { headers, request, actor });
      });
      return { emptyStatus: 204, headers: tusHeadersOf(row, ['upload-length', 'upload-metadata']) };
    }),
    route(operations.deleteUpload, async ({ params, actor, nowMs, commit }) => {
      requireOwner(await requireUpload(database, params.id), actor);
      await running.stop(params.id);
      await commit(async (tx) => {
        const { state, busy_until } = await requireUpload(tx, params.id);
        if (state === 'processing' && busy_until > nowMs) {
          throw new ApiError(
            'CONFLICT',
            'All bytes have arrived, and the file is being checked: wait a moment.',
          );
        }
        await tx.uploads.delete(params.id);
        return { emptyStatus: 204, headers: {} };
      });
      await uploadFiles.delete(params.id);
      return { emptyStatus: 204, headers: {} };
    }),
  ];
}

const mayContinue = ({ actor_id }: Row<'uploads'>, actor: Caller['actor']): boolean =>
  actor?.id === actor_id || actor?.scope === 'Admin';

function requireOwner(row: Row<'uploads'>, actor: Caller['actor']): void {
  if (!mayContinue(row, actor)) {
    throw new ApiError(
      'INSUFFICIENT_SCOPE',
      'Somebody else has begun this upload. Use the same key or account, or one of scope Admin.',
    );
  }
}

/** Throws when a person who is bound to stores would replace a file, which may be shown in all of them. */
function requireMayReplace(actor: Caller['actor']): void {
  if (actor?.stores) {
    throw new ApiError(
      'STORE_NOT_ALLOWED',
      'Files may be shown in all stores, and you are bound to some of them: upload this one as a new file.',
    );
  }
}

/** Throws if the upload has failed or expired. */
function requireLasting({ state, error, expires_at }: Row<'uploads'>, nowMs: number): void {
  if (state === 'failed') {
    const { message }: { message: string } = JSON.parse(error ?? '{}');
    throw goneError(`it has failed. ${message}`);
  }
  if (expires_at <= nowMs) {
    throw goneError('it has expired.');
  }
}

/** The headers that tus wants, and the asset. */
function tusHeadersOf(row: Row<'uploads'>, without: readonly string[] = []): Record<string, string> {
  const all = {
    'upload-offset': String(row.received),
    'upload-length': String(row.size),
    'upload-metadata': row.metadata,
    'upload-expires': row.state === 'receiving' ? new Date(row.expires_at).toUTCString() : '',
    'placard-asset': row.asset_id ?? '',
  };
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== '' && !without.includes(name)),
  );
}
