import { ERRORS } from '@placard/protocol/api';
import type { Asset } from '@placard/protocol/api';
import type { Row } from '../../database/schema.ts';
import type { Transaction } from '../../database/cloud-database.ts';
import type { WholeFile } from '../../blob/upload-files.ts';
import { ApiError } from '../../domain/api-error.ts';
import { describeUpload } from '../../domain/upload-metadata.ts';
import { uploadExpiresMs } from '../../domain/upload-rules.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import type { AuditRecorder, HandlerResult } from '../../http-server/operation-route.ts';
import { UNAUTHENTICATED } from '../../http-server/operation-route.ts';
import { createAsset } from '../content/create-asset.ts';
import type { CommitAsset } from '../content/create-asset.ts';
import { replaceAsset } from '../content/replace-asset.ts';
import type { HttpDeps } from '../deps.ts';
import { presentUpload } from './present-upload.ts';

/** As long as one process has an upload to itself; it asks for more while it works. */
const CLAIM_MS = 12_000;
const RENEW_INTERVAL_MS = 3_000;
/** Until the next attempt when the disk, the media store or the inspection had no room. */
const RETRY_MS = 15_000;
const WAITING_PER_RUN = 20;

export interface UploadFinisherDeps extends Pick<
  HttpDeps,
  | 'database'
  | 'blobs'
  | 'uploadFiles'
  | 'clock'
  | 'contentUrls'
  | 'newId'
  | 'inspector'
  | 'retention'
  | 'log'
  | 'deleteBlobsIfDiskLow'
> {
  recordAudit: AuditRecorder;
}

/** Makes assets of complete uploads. */
export interface UploadFinisher {
  /**
   * Throws why the file was rejected, after which the upload has failed, or why it has to be tried again. Does nothing if
   * another node is at it.
   */
  finish(id: string): Promise<void>;
  /** A job: makes those that a crash or a failure has left. */
  finishWaiting: () => Promise<void>;
  /** Resolves when no more is being made. */
  close: () => Promise<void>;
}

export function createUploadFinisher(deps: UploadFinisherDeps): UploadFinisher {
  const { database, uploadFiles, clock, log } = deps;
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  const finish = (id: string): Promise<void> => {
    const same = running.get(id);
    if (same || isClosed) {
      return same ?? Promise.resolve();
    }
    const work = claimAndFinish(id).finally(() => running.delete(id));
    running.set(id, work);
    return work;
  };

  const claimAndFinish = async (id: string): Promise<void> => {
    const nowMs = clock.nowMs();
    if (!(await database.transaction((tx) => tx.uploads.claim(id, nowMs, nowMs + CLAIM_MS)))) {
      return;
    }
    const claimFor = (ms: number) => database.transaction((tx) => tx.uploads.renew(id, clock.nowMs() + ms));
    const renew = (): void => {
      void claimFor(CLAIM_MS).catch(() => {});
      cancel = clock.setTimer(RENEW_INTERVAL_MS, renew);
    };
    let cancel = clock.setTimer(RENEW_INTERVAL_MS, renew);
    try {
      await makeAsset(id);
    } catch (error) {
      if (!isFinal(error)) {
        await claimFor(RETRY_MS).catch(() => {});
        throw error;
      }
      await fail(id, error);
      throw error;
    } finally {
      cancel();
    }
    await uploadFiles.delete(id);
  };

  const makeAsset = async (id: string): Promise<void> => {
    const upload = await database.uploads.find(id);
    if (!upload) {
      return;
    }
    const parts = await database.uploads.parts(id);
    const result = await uploadFiles.withFile(upload, parts, (file) => saveAsset(upload, file, deps));
    if (result === null) {
      throw goneError('Its bytes are no longer complete.');
    }
  };

  const fail = async (id: string, error: ApiError): Promise<void> => {
    const { code, message, details } = error;
    await database.transaction(async (tx) => {
      await endUpload(
        tx,
        id,
        {
          assetId: null,
          error: JSON.stringify({ code, message, ...(details === undefined ? {} : { details }) }),
        },
        deps,
      );
    });
    await uploadFiles.delete(id);
  };

  return {
    finish,
    async finishWaiting() {
      for (const { id } of await database.uploads.listWaiting(clock.nowMs(), WAITING_PER_RUN)) {
        await finish(id).catch((error: unknown) => {
          if (error instanceof ApiError || storageFailureOf(error) !== null) {
            log.info({ upload: id, message: Error.prototype.toString.call(error) }, 'upload.not_finished');
          } else {
            log.error({ upload: id, err: error }, 'upload.finish_failed');
          }
        });
      }
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(running.values());
    },
  };
}

/**
 * Saves the file of an upload as an asset or in place of one, like that of a form; the audit log names who began the
 * upload.
 */
async function saveAsset(upload: Row<'uploads'>, file: WholeFile, deps: UploadFinisherDeps) {
  const { database, blobs, clock, newId, recordAudit } = deps;
  const { sha256, replaces, ...description } = describeUpload(upload.metadata);
  if (sha256 !== null && sha256 !== file.sha256) {
    throw new ApiError(
      'CHECKSUM_MISMATCH',
      `The file that arrived has the SHA-256 ${file.sha256}, not that of its metadata. Upload it again.`,
      { details: { expected: sha256, actual: file.sha256 } },
    );
  }
  const nowMs = clock.nowMs();
  const actor = {
    type: upload.actor_type,
    id: upload.actor_id,
    name: upload.actor_name,
    scope: 'Write' as const,
    stores: null,
    session: null,
  };
  const call = {
    operation: { id: replaces === null ? 'appendUpload' : 'replaceContent' },
    caller: { ...UNAUTHENTICATED, actor },
    request: {
      params: replaces === null ? {} : { id: replaces.id },
      ip: upload.address,
      id: upload.request_id,
    },
    nowMs,
    newId,
  };
  const commit: CommitAsset = (write) =>
    database.transaction(
      async (tx) => {
        let result: HandlerResult<Asset> | undefined;
        const audited = recordAudit(async () => (result = await write(tx)), call);
        await audited(tx);
        if (!result || !('data' in result)) {
          throw new TypeError('an asset was made without a response');
        }
        await endUpload(tx, upload.id, { assetId: result.data.id, error: null }, deps);
        return result;
      },
      { owner: `${actor.type} ${actor.id}` },
    );
  const staged = blobs.stage(file);
  const by = { owner: upload.actor_id, nowMs };
  return replaces === null
    ? createAsset(staged, { description, ...by }, deps, commit)
    : replaceAsset(staged, { ...replaces, ...by }, deps, commit);
}

/** Throws if the upload came to another end before, so that it becomes one asset at most. */
async function endUpload(
  tx: Transaction,
  id: string,
  outcome: { assetId: string | null; error: string | null },
  { clock, retention }: Pick<UploadFinisherDeps, 'clock' | 'retention'>,
): Promise<void> {
  const nowMs = clock.nowMs();
  const expiresMs = uploadExpiresMs({ createdMs: nowMs, nowMs }, retention.uploadHours);
  if (!(await tx.uploads.end(id, { ...outcome, nowMs, expiresMs }))) {
    throw new ApiError('UNAVAILABLE', 'Another node has finished this upload, or it was deleted.');
  }
  const upload = await tx.uploads.find(id);
  if (upload) {
    tx.recordEvent({ type: 'upload.progress', resource: id, data: { upload: presentUpload(upload) } });
  }
}

export const goneError = (why: string): ApiError =>
  new ApiError('UPLOAD_GONE', `This upload cannot continue: ${why} Begin a new one.`);

/** Whether another attempt with the same bytes would fail as well. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && ERRORS[error.code].status < 500 && error.code !== 'RATE_LIMITED';
