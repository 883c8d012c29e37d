import { statSync } from 'node:fs';
import { access, constants, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type ManifestAsset } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import type { Log, MediaCache, MediaIndex } from '../../core/ports.ts';
import { download, hashFile, sizeOf } from './download.ts';
import { createPace } from './pace.ts';

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

/** Bytes of the cache's budget, and of what is free on the disk. */
interface Room {
  cacheBytes: number;
  diskBytes: number;
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
const OLDEST_STRAY_MS = 30 * 24 * 3_600_000;

/**
 * Verified media on disk: part → hash → fsync → rename → fsync of the folder → row. Whatever instant the power goes,
 * a row stands only for whole and right bytes. At the start sizes are compared, which is cheap; the hash is looked at
 * again when somebody doubts a file.
 */
export async function openMediaCache(deps: MediaCacheDeps): Promise<MediaCache> {
  const { dir, index, log } = deps;
  await mkdir(dir, { recursive: true });
  const held = new Map<string, { size: number; contentType: string }>();
  const pathOf = (sha256: string) => join(dir, sha256);
  const partOf = (sha256: string) => `${pathOf(sha256)}.part`;
  /** Downloads that room was made for. */
  const running = new Map<string, ManifestAsset>();
  let lastReservation: Promise<void> = Promise.resolve();
  const pace = createPace(deps.maxBytesPerSecond);

  for (const row of index.listMedia()) {
    // Synchronous: thousands of these are done in the time that a few promises take.
    const info = statSync(pathOf(row.sha256), { throwIfNoEntry: false });
    if (info?.size === row.size) held.set(row.sha256, row);
    else {
      log.warn({ sha256: row.sha256, expected: row.size, found: info?.size ?? null }, 'media.lost');
      index.removeMedia(row.sha256);
      await remove(pathOf(row.sha256));
    }
  }
  await sweepStrays(OLDEST_STRAY_MS);

  /** On a read-only disk it stays where it is: no row stands for it, and so it is not shown. */
  async function remove(path: string): Promise<void> {
    await rm(path, { force: true }).catch((error: unknown) => {
      if (codeOf(error) !== 'EROFS') throw error;
      log.warn({ path }, 'media.not_removed');
    });
  }

  /** Parts and files that no row stands for: somebody may still want them, but not for ever. */
  async function sweepStrays(olderThanMs: number): Promise<void> {
    for (const name of await readdir(dir)) {
      if (held.has(name)) continue;
      const info = await stat(join(dir, name)).catch(() => null);
      if (info && Date.now() - info.mtimeMs >= olderThanMs) await remove(join(dir, name));
    }
  }

  async function drop(sha256: string): Promise<void> {
    // The row goes first: a file without a row is looked at again, a row without a file would be a lie.
    held.delete(sha256);
    index.removeMedia(sha256);
    await remove(pathOf(sha256));
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
      await remove(path);
      return false;
    }
    await keep(asset);
    log.info({ asset_id: asset.id, size: asset.size }, 'asset.adopted');
    return true;
  }

  async function usage() {
    let cacheBytes = 0;
    for (const row of held.values()) cacheBytes += row.size;
    const disk = await statfs(dir).catch(() => null);
    return { cacheBytes, freeBytes: disk ? disk.bavail * disk.bsize : null };
  }

  async function evictFor(wanted: Room): Promise<string[]> {
    const gone: string[] = [];
    for (const row of index.unnamedMedia()) {
      if (await fits(wanted)) break;
      if (!held.has(row.sha256)) continue;
      await drop(row.sha256);
      gone.push(row.sha256);
      log.info({ sha256: row.sha256, size: row.size }, 'media.evicted');
    }
    return gone;
  }

  /** A part that is there already takes room of the budget, and none of what is free on the disk. */
  const roomFor = async (asset: ManifestAsset): Promise<Room> => ({
    cacheBytes: asset.size,
    diskBytes: Math.max(0, asset.size - (await sizeOf(partOf(asset.sha256)))),
  });

  async function fits(wanted: Room): Promise<boolean> {
    let { cacheBytes, diskBytes } = wanted;
    for (const asset of running.values()) {
      const promised = await roomFor(asset);
      cacheBytes += promised.cacheBytes;
      diskBytes += promised.diskBytes;
    }
    const now = await usage();
    if (deps.maxCacheBytes !== null && now.cacheBytes + cacheBytes > deps.maxCacheBytes) return false;
    return now.freeBytes === null || now.freeBytes - diskBytes >= deps.minFreeBytes;
  }

  async function makeRoom(asset: ManifestAsset): Promise<void> {
    const wanted = await roomFor(asset);
    if (!(await fits(wanted))) {
      await evictFor(wanted);
      if (!(await fits(wanted))) {
        const facts = { asset_id: asset.id, needed: wanted.diskBytes, ...(await usage()) };
        throw new Fault('disk.full', 'later', facts);
      }
    }
    running.set(asset.sha256, asset);
  }

  /**
   * Room is made before a byte is fetched, so that a full disk stops a download and not the database. One after the
   * other, for two must not be promised the same room.
   */
  function reserve(asset: ManifestAsset): Promise<void> {
    const mine = lastReservation.then(() => makeRoom(asset));
    lastReservation = mine.catch(() => {});
    return mine;
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
      const part = partOf(asset.sha256);
      try {
        if (await adopt(asset)) return;
        // A read-only disk says so here, before the line is used and before room is made on it.
        await access(dir, constants.W_OK);
        await reserve(asset);
        await download({ asset, part, dispatcher: deps.dispatcher, pace, signal });
        await rename(part, pathOf(asset.sha256));
        await syncFolder(dir);
        await keep(asset);
        log.info({ asset_id: asset.id, size: asset.size }, 'asset.fetched');
      } catch (error) {
        if (signal.aborted) throw error;
        throw translate(error, asset);
      } finally {
        running.delete(asset.sha256);
      }
    },
    async verify(sha256) {
      const row = held.get(sha256);
      if (!row) return false;
      const found = await hashFile(pathOf(sha256)).then(
        (hash) => hash.digest('hex'),
        () => null,
      );
      if (found === sha256) return true;
      log.warn({ sha256 }, 'media.damaged');
      await drop(sha256);
      return false;
    },
    drop,
    async evict(what) {
      if (what === 'over_budget') return evictFor({ cacheBytes: 0, diskBytes: 0 });
      const gone = await evictFor({ cacheBytes: Infinity, diskBytes: Infinity });
      await sweepStrays(0);
      return gone;
    },
    usage,
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

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
