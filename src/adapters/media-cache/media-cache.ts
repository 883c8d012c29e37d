import { statSync } from 'node:fs';
import { access, constants, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type ManifestAsset } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import type { Log, MediaCache, MediaIndex } from '../../core/ports.ts';
import { download, hashFile, sizeOf } from './download.ts';
import { codeOf, findLooseFiles, partOf, removeFile } from './loose-files.ts';
import { createPace } from './pace.ts';
import { createRoom } from './room.ts';

export interface MediaCacheDeps {
  /** Folder of the media files, each named by its hash. */
  dir: string;
  index: MediaIndex;
  dispatcher: Dispatcher;
  /** Bytes that the cache may take; null when only the disk limits it. */
  maxCacheBytes: number | null;
  /** Bytes that stay free on the disk. */
  minFreeBytes: number;
  /** All downloads together take no more of the line than this; null: as much as there is. */
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
/** So gently is a file looked at again that nobody doubts: a worn SD card reads 20 MB/s, and the video comes first. */
const CHECK_BYTES_PER_SECOND = 5 * 1024 * 1024;

/**
 * Verified media on disk: part → hash → fsync → rename → fsync of the folder → row. Whatever instant the power goes,
 * a row stands only for whole and right bytes. At the start sizes are compared, which is cheap; the hash is looked at
 * again by and by, and when somebody doubts a file.
 */
export async function openMediaCache(deps: MediaCacheDeps): Promise<MediaCache> {
  const { dir, index, log } = deps;
  await mkdir(dir, { recursive: true });
  const held = new Map<string, { size: number; contentType: string }>();
  const pathOf = (sha256: string) => join(dir, sha256);
  const pace = createPace(deps.maxBytesPerSecond);
  const checkPace = createPace(CHECK_BYTES_PER_SECOND);

  for (const row of index.listMedia()) {
    // Synchronous: thousands of these are done in the time that a few promises take.
    const info = statSync(pathOf(row.sha256), { throwIfNoEntry: false });
    if (info?.size === row.size) held.set(row.sha256, row);
    else {
      log.warn({ sha256: row.sha256, expected: row.size, found: info?.size ?? null }, 'media.lost');
      index.removeMedia(row.sha256);
      await removeFile(pathOf(row.sha256), log);
    }
  }
  const isHeld = (sha256: string) => held.has(sha256);
  const loose = await findLooseFiles({ dir, isHeld, log });
  const room = createRoom({ ...deps, held, loose, drop });

  async function drop(sha256: string): Promise<void> {
    held.delete(sha256);
    try {
      // The row goes first: a file without a row is looked at again, a row without a file would be a lie.
      index.removeMedia(sha256);
    } catch (error) {
      // On a full disk no row can be written before there is room; the next start finds the file gone.
      if (!(error instanceof Fault) || error.code !== 'disk.full') throw error;
      log.warn({ sha256 }, 'media.row_left');
    }
    await removeFile(pathOf(sha256), log);
  }

  async function keep(asset: ManifestAsset): Promise<void> {
    const row = {
      sha256: asset.sha256,
      size: asset.size,
      contentType: CONTENT_TYPES[asset.format] ?? 'application/octet-stream',
    };
    index.putMedia(row);
    held.set(asset.sha256, row);
  }

  /** A file that is there without a row: the database was begun anew, or the power went in between. */
  async function adopt(asset: ManifestAsset): Promise<boolean> {
    const path = pathOf(asset.sha256);
    if ((await sizeOf(path)) !== asset.size) return false;
    if ((await hashFile(path)).digest('hex') !== asset.sha256) {
      await removeFile(path, log);
      return false;
    }
    await keep(asset);
    log.info({ asset_id: asset.id, size: asset.size }, 'asset.adopted');
    return true;
  }

  return {
    held: () => new Set(held.keys()),
    async find(sha256) {
      const row = held.get(sha256);
      if (!row) return null;
      const size = await sizeOf(pathOf(sha256));
      if (size === row.size) return { path: pathOf(sha256), size, contentType: row.contentType };
      log.warn({ sha256, expected: row.size, found: size }, 'media.lost');
      await drop(sha256);
      return null;
    },
    async fetch(asset, signal) {
      if (held.has(asset.sha256)) return;
      const part = partOf(pathOf(asset.sha256));
      try {
        if (await adopt(asset)) return;
        // A read-only disk says so here, before the line is used and before room is made on it.
        await access(dir, constants.W_OK);
        await room.reserve(asset);
        await download({ asset, part, dispatcher: deps.dispatcher, pace, signal });
        await rename(part, pathOf(asset.sha256));
        await syncFolder(dir);
        await keep(asset);
        log.info({ asset_id: asset.id, size: asset.size }, 'asset.fetched');
      } catch (error) {
        if (signal.aborted) throw error;
        throw translate(error, asset);
      } finally {
        await room.release(asset);
      }
    },
    async verify(sha256, gently) {
      const row = held.get(sha256);
      if (!row) return false;
      const each =
        gently &&
        (async (bytes: number) => {
          await checkPace(bytes, gently);
          gently.throwIfAborted();
        });
      const found = await hashFile(pathOf(sha256), each).then(
        (hash) => hash.digest('hex'),
        () => null,
      );
      if (found === sha256 || gently?.aborted) return true;
      // It was dropped meanwhile, and perhaps fetched anew.
      if (held.get(sha256) !== row) return held.has(sha256);
      log.warn({ sha256 }, 'media.damaged');
      await drop(sha256);
      return false;
    },
    drop,
    evict: (what) => room.evict(what),
    usage: () => room.usage(),
  };
}

function translate(error: unknown, asset: ManifestAsset): unknown {
  if (error instanceof Fault) return error;
  const code = codeOf(error);
  const facts = { asset_id: asset.id, reason: code || String(error) };
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Fault('disk.full', 'later', facts, error);
  if (code === 'EROFS') return new Fault('disk.readonly', 'later', facts, error);
  return new Fault('asset.download_failed', 'later', facts, error);
}

async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
