import { stat } from 'node:fs/promises';
import { RENDITION_FAILURES, RENDITION_KINDS } from '@placard/protocol/api';
import type { RenditionFailure, RenditionKind } from '@placard/protocol/api';
import type { BlobStore } from '../blob/blob-store.ts';
import { hashFile } from '../blob/blob-files.ts';
import type { Transaction } from '../database/cloud-database.ts';
import type { ClaimedRendition } from '../database/renditions.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import { ignoreBusy } from '../domain/api-error.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import { flushFile } from '../media/rendition-files.ts';
import { GOING_ON } from '../media/rendition-maker.ts';
import type { FailedRendition, MadeRendition, RenditionMaker } from '../media/rendition-maker.ts';
import type { JobDeps } from './deps.ts';
import { forgetRenditions } from './forget-renditions.ts';
import type { Job } from './job-runner.ts';
import { keepClaim, LEASE_MS } from './keep-claim.ts';
import type { Progress } from './keep-claim.ts';

/** After a failure of disk, media store or database, which is not one of the file. */
const POSTPONED_MS = 5 * 60_000;
/** Begun so often and neither finished nor a part of it: perhaps because of the file. */
const MAX_ATTEMPTS = 5;

export interface RenditionWorkerDeps extends Pick<JobDeps, 'database' | 'clock' | 'log'> {
  blobs: Pick<BlobStore, 'withFile' | 'stage'>;
  disk: { status: () => Pick<ReturnType<DiskMonitor['status']>, 'state'> };
  maker: RenditionMaker;
  isLeader: () => boolean;
}

/** Makes the renditions that are wanted, one after another. */
export function createRenditionWorker({
  database,
  blobs,
  clock,
  disk,
  log,
  maker,
  isLeader,
}: RenditionWorkerDeps) {
  let kinds: readonly RenditionKind[] = RENDITION_KINDS;
  let isClosed = false;
  let current: AbortController | null = null;

  // Disk space is for uploads.
  const mayWork = () => !isClosed && isLeader() && disk.status().state === 'ok';

  const claimNext = () =>
    database.transaction((tx) => {
      const nowMs = clock.nowMs();
      return tx.renditions.claim(kinds, nowMs, nowMs + LEASE_MS);
    });

  const make = async (
    claim: ClaimedRendition,
    progress: Progress,
  ): Promise<MadeRendition | FailedRendition | null> => {
    if (isClosed) {
      return null;
    }
    const stopping = new AbortController();
    current = stopping;
    const endClaim = keepClaim(claim, progress, stopping, { database, clock, mayWork });
    try {
      const result = await blobs.withFile(claim.source_sha256, (from) =>
        maker.make(
          {
            kind: claim.kind,
            sha256: claim.source_sha256,
            from,
            durationSeconds: claim.duration,
            frameRate: claim.frame_rate,
          },
          stopping.signal,
          () => {
            progress.hasPart = true;
          },
        ),
      );
      return (
        result ??
        (stopping.signal.aborted ? null : { reason: 'undecodable', message: 'The file is missing.' })
      );
    } finally {
      current = null;
      await endClaim();
    }
  };

  const save = async (claim: ClaimedRendition, { path, info }: MadeRendition): Promise<void> => {
    await flushFile(path);
    const { size } = await stat(path);
    const staged = blobs.stage({ sha256: await hashFile(path), size, path });
    try {
      await staged.save();
      const { sha256 } = staged;
      const { format, width, height, codec, frameRate: frame_rate, durationSeconds: duration } = info;
      const columns = { sha256, size, format, width, height, codec, frame_rate, duration };
      const isWanted = await database.transaction(async (tx) => {
        const isClaimed = await tx.renditions.finish(claim, columns, clock.nowMs());
        if (isClaimed) {
          await invalidateAsset(tx, claim.content_id);
        }
        return isClaimed;
      });
      if (isWanted) {
        log.info({ content: claim.content_id, kind: claim.kind, size }, 'rendition.made');
      }
    } finally {
      await staged.release();
    }
  };

  const fail = async (claim: ClaimedRendition, { reason, message }: FailedRendition): Promise<void> => {
    const failure = toFailure(reason);
    log.warn({ content: claim.content_id, kind: claim.kind, reason, message }, 'rendition.failed');
    await database.transaction((tx) => tx.renditions.fail(claim, { failure, message }, clock.nowMs()));
  };

  /** After a stop that somebody wanted the attempt does not count, unlike one by a disk that the file itself may fill. */
  const putBack = async (claim: ClaimedRendition, { hasPart }: Progress): Promise<void> => {
    const isWantedStop = isClosed || !isLeader() || !(await database.organization.wantsRenditions());
    await database.transaction((tx) =>
      isWantedStop
        ? tx.renditions.release(claim, hasPart ? 0 : claim.attempts - 1)
        : tx.renditions.postpone(claim, clock.nowMs() + POSTPONED_MS),
    );
  };

  const work = async (claim: ClaimedRendition): Promise<void> => {
    if (claim.attempts > MAX_ATTEMPTS) {
      const message = `It was begun ${MAX_ATTEMPTS} times and never finished: the cloud was stopped, or disk or media store failed.`;
      return fail(claim, { reason: 'interrupted', message });
    }
    const progress: Progress = { hasPart: false };
    try {
      const result = await make(claim, progress);
      if (result && 'path' in result) {
        let isStored = false;
        try {
          await save(claim, result);
          isStored = true;
        } finally {
          await result.release(isStored);
        }
        return;
      }
      if (result?.reason === 'no_encoder') {
        // Until the next start; processes that are started later find what this one did.
        kinds = kinds.filter((kind) => kind !== claim.kind);
        log.info({ message: result.message }, 'rendition.no_encoder');
        return await database.transaction((tx) => tx.renditions.release(claim, claim.attempts - 1));
      }
      // A full disk is no failure of the file.
      const isOfFile = result && !GOING_ON.has(result.reason) && disk.status().state === 'ok';
      return await (isOfFile ? fail(claim, result) : putBack(claim, progress));
    } catch (error) {
      await putBack(claim, progress).catch(ignoreStorageFailure);
      throw error;
    }
  };

  const run = async (): Promise<void> => {
    while (mayWork() && (await database.organization.wantsRenditions())) {
      const claim = await claimNext();
      if (!claim) {
        return;
      }
      try {
        await work(claim);
      } catch (error) {
        ignoreBusy(error);
        return;
      }
    }
  };

  return {
    jobs: [
      { name: 'renditions', intervalMs: 5000, isForLeader: true, run },
      {
        name: 'unfinished-renditions',
        intervalMs: 60_000,
        run: () => forgetRenditions({ database, disk, maker }),
      },
    ] satisfies [Job, Job],
    /** Stops the work; it is done by the next start, or the next leader. */
    close: async (): Promise<void> => {
      isClosed = true;
      current?.abort();
    },
  };
}

/** Devices may get another file of the asset now. */
async function invalidateAsset(tx: Transaction, contentId: string): Promise<void> {
  tx.invalidateManifests({ assetId: contentId });
  for (const { id } of await tx.playlists.listByAsset(contentId)) {
    tx.invalidateManifests({ playlistId: id });
  }
}

const toFailure = (reason: string): RenditionFailure =>
  RENDITION_FAILURES.find((known) => known === reason) ?? 'crashed';
