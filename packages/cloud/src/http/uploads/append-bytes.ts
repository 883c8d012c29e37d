import { TUS_CHECKSUMS } from '@placard/protocol/api';
import type { appendUploadHeaders } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { parseUploadChecksum } from '../../domain/upload-checksum.ts';
import { reachesUploadStep, uploadExpiresMs } from '../../domain/upload-rules.ts';
import type { Row } from '../../database/schema.ts';
import type { StoredPart } from '../../blob/upload-files.ts';
import type { Caller } from '../../http-server/operation-route.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { watchForStall } from '../content/watch-for-stall.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound } from '../request-checks.ts';
import { goneError } from './finish-uploads.ts';
import type { UploadFinisher } from './finish-uploads.ts';
import { presentUpload } from './present-upload.ts';
import { isEmpty, receiveBytes } from './receive-bytes.ts';

/** Requests per API key or person that send bytes at the same time. */
const MAX_CONCURRENT_REQUESTS = 8;
/** In a bucket each request makes at least one object. */
const MAX_PARTS = 10_000;

interface AppendRequest {
  headers: z.output<typeof appendUploadHeaders>;
  request: FastifyRequest;
  actor: Caller['actor'];
}

/** Stores the bytes of a request at the end of an upload; with the last of them the asset is made. */
export function createAppender(deps: HttpDeps & { uploadFinisher: UploadFinisher }) {
  const { database, uploadFiles, uploadFinisher, disk, clock, inspector, retention } = deps;
  const requests = createConcurrencyLimit(MAX_CONCURRENT_REQUESTS, 'resumable uploads');

  const recordIn =
    (upload: Row<'uploads'>) =>
    async (from: number, to: number, parts: readonly StoredPart[]): Promise<void> => {
      const nowMs = clock.nowMs();
      const expiresMs = uploadExpiresMs({ createdMs: upload.created_at, nowMs }, retention.uploadHours);
      await database.transaction(
        async (tx) => {
          if (!(await tx.uploads.advance(upload.id, { from, to, parts, nowMs, expiresMs }))) {
            throw conflictError('Another request has continued or deleted this upload.');
          }
          const row = await tx.uploads.find(upload.id);
          if (row && to < row.size && reachesUploadStep(from, to, row.size)) {
            tx.recordEvent({
              type: 'upload.progress',
              resource: row.id,
              data: { upload: presentUpload(row) },
            });
          }
        },
        { owner: `${upload.actor_type} ${upload.actor_id}` },
      );
      // What was recorded stays; the upload continues when there is space again.
      disk.requireSpaceFor(0);
    };

  const receive = async (
    upload: Row<'uploads'>,
    { headers, request }: Pick<AppendRequest, 'headers' | 'request'>,
  ): Promise<void> => {
    const { count, bytes } = await database.uploads.countParts(upload.id);
    if (!(await uploadFiles.has(upload, bytes))) {
      throw goneError('its bytes are not on this node.');
    }
    if (count >= MAX_PARTS) {
      throw goneError(`it was sent in more than ${MAX_PARTS} requests. Send more at once.`);
    }
    disk.requireSpaceFor(bytesAnnounced(request));
    const header = headers['upload-checksum'];
    const checksum = header === undefined ? null : parseUploadChecksum(header);
    if (header !== undefined && checksum === null) {
      const message = `must be one of ${TUS_CHECKSUMS.join(', ')}, a space, and the digest in Base64`;
      throw validationError([{ path: 'upload-checksum', message }]);
    }
    inspector.warmUp();
    const writer = await uploadFiles.append(upload);
    const stopWatching = watchForStall(request.raw.socket, clock);
    try {
      await receiveBytes(request.raw, {
        writer,
        offset: upload.received,
        size: upload.size,
        checksum,
        record: recordIn(upload),
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CONFLICT') {
        await writer.discard();
      }
      throw error;
    } finally {
      stopWatching();
      await writer.close();
    }
  };

  /** Throws when a request without a length has bytes for an upload that has all of them. */
  const requireNoBytes = async (upload: Row<'uploads'>, { raw }: FastifyRequest): Promise<void> => {
    const stopWatching = watchForStall(raw.socket, clock);
    try {
      if (!(await isEmpty(raw))) {
        throw validationError([{ path: '', message: `must have no bytes: ${hasAll(upload)}` }]);
      }
    } finally {
      stopWatching();
    }
  };

  /** Returns the upload as it is afterwards. */
  return async (upload: Row<'uploads'>, append: AppendRequest): Promise<Row<'uploads'>> => {
    const { headers, request, actor } = append;
    if (headers['upload-offset'] !== upload.received) {
      throw conflictError(`The upload is at ${upload.received}, not at ${headers['upload-offset']}.`, {
        offset: upload.received,
      });
    }
    const missing = upload.size - upload.received;
    if (bytesAnnounced(request) > missing) {
      const message = missing === 0 ? `must be 0: ${hasAll(upload)}` : 'is more than is missing of the file';
      throw validationError([{ path: 'content-length', message }]);
    }
    const { release } = requests.acquire({ request, actor });
    try {
      if (upload.state === 'receiving') {
        await receive(upload, append);
      } else {
        await requireNoBytes(upload, request);
      }
      const received = requireFound(await database.uploads.find(upload.id), 'UPLOAD_NOT_FOUND');
      if (received.state !== 'processing') {
        return received;
      }
      await uploadFinisher.finish(upload.id);
      return requireFound(await database.uploads.find(upload.id), 'UPLOAD_NOT_FOUND');
    } finally {
      release();
    }
  };
}

const bytesAnnounced = ({ headers }: FastifyRequest): number => Number(headers['content-length'] ?? 0);

const hasAll = ({ size }: Row<'uploads'>): string => `the upload has all of its ${size} bytes already`;

const conflictError = (why: string, details?: unknown): ApiError =>
  new ApiError(
    'CONFLICT',
    `${why} Ask with HEAD where to continue.`,
    details === undefined ? {} : { details },
  );
