import { statSync } from 'node:fs';
import { access, constants, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import type { ManifestAsset } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import { errorCode } from '../../core/error-details.ts';
import type { Log, MediaCache, MediaIndex } from '../../core/ports.ts';
import { syncFolder } from '../files/durable-file.ts';
import { download } from './download.ts';
import { findUnindexedFiles } from './unindexed-files.ts';
import { NOT_ALLOWED } from './ssrf-guard.ts';
import type { SsrfGuard } from './ssrf-guard.ts';
import { checkFile, partPath, removeFile, sizeOf } from './media-file.ts';
import { createRateLimit } from './rate-limit.ts';
import { createDiskBudget } from './disk-budget.ts';

export interface MediaCacheDeps {
  /** Folder of the media files; each file is named by its hash. */
  dir: string;
  index: MediaIndex;
  dispatcher: Dispatcher;
  /** Decides which addresses files may come from. */
  ssrfGuard: Pick<SsrfGuard, 'check'>;
  /** Limit of the cache in bytes; null when only the disk limits it. */
  maxCacheBytes: number | null;
  /** Bytes that stay free on the disk. */
  minFreeBytes: number;
  /** Limit for all downloads together; null: unlimited. */
  maxBytesPerSecond: number | null;
  log: Log;
}

const CONTENT_TYPES: Record<string, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
  mp4: 'video/mp4',
  mov: 'video/mp4',
  webm: 'video/webm',
};
/** Low rate for verifying files in the background: a worn SD card reads 20 MB/s, and playback comes first. */
const VERIFY_BYTES_PER_SECOND = 5 * 1024 * 1024;

/**
 * Verified media on disk. Order of a download: part → hash → fsync → rename → fsync of the folder → row, so that a
 * row stands only for a complete and correct file, even after a power cut. The start compares sizes, which is cheap;
 * hashes are verified in the background and on suspicion. Missing or wrong files are dropped, unreadable ones kept.
 */
export async function openMediaCache(deps: MediaCacheDeps): Promise<MediaCache> {
  const { dir, index, log } = deps;
  await mkdir(dir, { recursive: true });
  const cached = new Map<string, { size: number; contentType: string }>();
  /** Files whose last read failed; each is logged once. */
  const unreadableHashes = new Set<string>();
  const pathOf = (sha256: string) => join(dir, sha256);
  const downloadRateLimit = createRateLimit(deps.maxBytesPerSecond);
  const verifyRateLimit = createRateLimit(VERIFY_BYTES_PER_SECOND);

  const damagedRows: { sha256: string; size: number; found: number }[] = [];
  for (const row of index.listMedia()) {
    const found = readSizeSync(row.sha256);
    if (found === null || found === row.size) {
      cached.set(row.sha256, row);
    } else {
      damagedRows.push({ ...row, found });
    }
  }
  const isCached = (sha256: string) => cached.has(sha256);
  const unindexed = await findUnindexedFiles({ dir, isCached, log });
  const diskBudget = createDiskBudget({ ...deps, cached, unindexed, drop: remove });
  for (const { sha256, size, found } of damagedRows) {
    await removeDamaged(sha256, size, found);
  }

  /** Synchronous: much faster than promises for thousands of files. */
  function readSizeSync(sha256: string): number | null {
    try {
      return statSync(pathOf(sha256), { throwIfNoEntry: false })?.size ?? 0;
    } catch (error) {
      return noteUnreadable(sha256, error);
    }
  }

  /** The state of the file is unknown, so it is kept. */
  function noteUnreadable(sha256: string, error: unknown): null {
    if (!unreadableHashes.has(sha256)) {
      log.warn({ sha256, reason: errorCode(error) || String(error) }, 'media.read_failed');
    }
    unreadableHashes.add(sha256);
    return null;
  }

  async function removeDamaged(sha256: string, expected: number, found: number): Promise<void> {
    log.warn({ sha256, expected, found }, 'media.lost');
    await remove(sha256);
  }

  /** Drops a file from the cache. One left on the disk is adopted again if its hash matches, or downloaded again. */
  async function remove(sha256: string, fileAction: 'delete' | 'retain' = 'delete'): Promise<void> {
    cached.delete(sha256);
    try {
      // The row is deleted first: a file without a row is checked again, but a row without a file would be wrong.
      index.removeMedia(sha256);
    } catch (error) {
      // A disk that is not writable keeps the row; the next start checks the file again.
      if (!(error instanceof Fault)) {
        throw error;
      }
      if (error.code !== 'disk.full' && error.code !== 'disk.readonly') {
        throw error;
      }
      log.warn({ sha256, code: error.code }, 'media.row_delete_failed');
    }
    if (fileAction === 'delete') {
      await removeFile(pathOf(sha256), log);
    }
    await unindexed.refresh(sha256);
  }

  async function addEntry(asset: ManifestAsset): Promise<void> {
    const row = {
      sha256: asset.sha256,
      size: asset.size,
      contentType: CONTENT_TYPES[asset.format] ?? 'application/octet-stream',
    };
    index.saveMedia(row);
    cached.set(asset.sha256, row);
  }

  /** Adopts a file without a row: the database was rebuilt, or the power failed before the row was written. */
  async function adoptExistingFile(asset: ManifestAsset): Promise<boolean> {
    const path = pathOf(asset.sha256);
    if ((await sizeOf(path)) !== asset.size) {
      return false;
    }
    const check = await checkFile(path, asset.sha256);
    if (check.result === 'unreadable') {
      throw check.error;
    }
    if (check.result === 'invalid') {
      await removeFile(path, log);
    }
    if (check.result !== 'valid') {
      return false;
    }
    await addEntry(asset);
    log.info({ asset_id: asset.id, size: asset.size }, 'asset.adopted');
    return true;
  }

  return {
    cachedHashes: () => new Set(cached.keys()),
    async find(sha256) {
      const row = cached.get(sha256);
      if (!row) {
        return null;
      }
      const size = await sizeOf(pathOf(sha256)).catch((error: unknown) => noteUnreadable(sha256, error));
      if (size === row.size) {
        return { path: pathOf(sha256), size, contentType: row.contentType };
      }
      if (size !== null) {
        await removeDamaged(sha256, row.size, size);
      }
      return null;
    },
    async fetch(asset, signal, requireAllowed) {
      if (cached.has(asset.sha256)) {
        return;
      }
      const partFile = partPath(pathOf(asset.sha256));
      try {
        if (await adoptExistingFile(asset)) {
          return;
        }
        // Detects a read-only disk before anything is downloaded or evicted.
        await access(dir, constants.W_OK);
        await diskBudget.reserve(asset);
        await deps.ssrfGuard.check(asset.url);
        await download({
          asset,
          partPath: partFile,
          dispatcher: deps.dispatcher,
          rateLimit: downloadRateLimit,
          signal,
          ...(requireAllowed && {
            async checkRedirect(url) {
              requireAllowed(url);
              await deps.ssrfGuard.check(url);
            },
          }),
        });
        await rename(partFile, pathOf(asset.sha256));
        await syncFolder(dir);
        await addEntry(asset);
        log.info({ asset_id: asset.id, size: asset.size }, 'asset.fetched');
      } catch (error) {
        if (signal.aborted) {
          throw error;
        }
        throw toAssetFault(error, asset);
      } finally {
        await diskBudget.release(asset);
      }
    },
    async verify(sha256, backgroundSignal) {
      const row = cached.get(sha256);
      if (!row) {
        return false;
      }
      const throttle =
        backgroundSignal &&
        (async (bytes: number) => {
          await verifyRateLimit(bytes, backgroundSignal);
          backgroundSignal.throwIfAborted();
        });
      const check = await checkFile(pathOf(sha256), sha256, throttle);
      if (backgroundSignal?.aborted) {
        return null;
      }
      // It was dropped in the meantime, and perhaps downloaded again.
      if (cached.get(sha256) !== row) {
        return cached.has(sha256);
      }
      if (check.result === 'unreadable') {
        return noteUnreadable(sha256, check.error);
      }
      unreadableHashes.delete(sha256);
      if (check.result === 'valid') {
        return true;
      }
      log.warn({ sha256, found: check.result }, 'media.damaged');
      await remove(sha256, check.result === 'bad_blocks' ? 'retain' : 'delete');
      return false;
    },
    remove,
    evict: (what) => diskBudget.evict(what),
    usage: () => diskBudget.usage(),
  };
}

function toAssetFault(error: unknown, asset: ManifestAsset): unknown {
  if (error instanceof Fault) {
    return error;
  }
  const code = errorCode(error);
  const details = { asset_id: asset.id, reason: code || String(error) };
  if (code === NOT_ALLOWED) {
    return new Fault('asset.not_allowed', 'later', details, error);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Fault('disk.full', 'later', details, error);
  }
  if (code === 'EROFS') {
    return new Fault('disk.readonly', 'later', details, error);
  }
  return new Fault('asset.download_failed', 'later', details, error);
}
