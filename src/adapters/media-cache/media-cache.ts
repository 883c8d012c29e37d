import { statSync } from 'node:fs';
import { access, constants, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type ManifestAsset } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import type { Log, MediaCache, MediaIndex } from '../../core/ports.ts';
import { download } from './download.ts';
import { findLooseFiles } from './loose-files.ts';
import { NOT_ALLOWED, type MediaGate } from './media-gate.ts';
import { codeOf, lookAt, partOf, removeFile, sizeOf } from './media-file.ts';
import { createPace } from './pace.ts';
import { createRoom } from './room.ts';

export interface MediaCacheDeps {
  /** Folder of the media files, each named by its hash. */
  dir: string;
  index: MediaIndex;
  dispatcher: Dispatcher;
  /** Says which addresses files may come from. */
  gate: Pick<MediaGate, 'check'>;
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
 * again by and by, and when somebody doubts a file. Only what is missing or wrong goes; what cannot be read stays.
 */
export async function openMediaCache(deps: MediaCacheDeps): Promise<MediaCache> {
  const { dir, index, log } = deps;
  await mkdir(dir, { recursive: true });
  const held = new Map<string, { size: number; contentType: string }>();
  /** Of what could not be read when it was looked at last: told once. */
  const unread = new Set<string>();
  const pathOf = (sha256: string) => join(dir, sha256);
  const pace = createPace(deps.maxBytesPerSecond);
  const checkPace = createPace(CHECK_BYTES_PER_SECOND);

  const lost: { sha256: string; size: number; found: number }[] = [];
  for (const row of index.listMedia()) {
    const found = sizeNow(row.sha256);
    if (found === null || found === row.size) held.set(row.sha256, row);
    else lost.push({ ...row, found });
  }
  const isHeld = (sha256: string) => held.has(sha256);
  const loose = await findLooseFiles({ dir, isHeld, log });
  const room = createRoom({ ...deps, held, loose, drop });
  for (const { sha256, size, found } of lost) await lose(sha256, size, found);

  /** Synchronous: thousands of these are done in the time that a few promises take. */
  function sizeNow(sha256: string): number | null {
    try {
      return statSync(pathOf(sha256), { throwIfNoEntry: false })?.size ?? 0;
    } catch (error) {
      return unreadable(sha256, error);
    }
  }

  /** Nobody knows how the file is: it stays as it was. */
  function unreadable(sha256: string, error: unknown): null {
    if (!unread.has(sha256)) log.warn({ sha256, reason: codeOf(error) || String(error) }, 'media.unread');
    unread.add(sha256);
    return null;
  }

  async function lose(sha256: string, expected: number, found: number): Promise<void> {
    log.warn({ sha256, expected, found }, 'media.lost');
    await drop(sha256);
  }

  /** It is held no more. A file that stays is taken on again if it is right, or another one takes its place. */
  async function letGo(sha256: string, file: 'goes' | 'stays'): Promise<void> {
    held.delete(sha256);
    try {
      // The row goes first: a file without a row is looked at again, a row without a file would be a lie.
      index.removeMedia(sha256);
    } catch (error) {
      // A disk that takes no writes keeps the row, and the next start looks at the file again.
      if (!(error instanceof Fault)) throw error;
      if (error.code !== 'disk.full' && error.code !== 'disk.readonly') throw error;
      log.warn({ sha256, code: error.code }, 'media.row_left');
    }
    if (file === 'goes') await removeFile(pathOf(sha256), log);
    await loose.look(sha256);
  }

  function drop(sha256: string): Promise<void> {
    return letGo(sha256, 'goes');
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
    const look = await lookAt(path, asset.sha256);
    if (look.is === 'unread') throw look.error;
    if (look.is === 'wrong') await removeFile(path, log);
    if (look.is !== 'right') return false;
    await keep(asset);
    log.info({ asset_id: asset.id, size: asset.size }, 'asset.adopted');
    return true;
  }

  return {
    held: () => new Set(held.keys()),
    async find(sha256) {
      const row = held.get(sha256);
      if (!row) return null;
      const size = await sizeOf(pathOf(sha256)).catch((error: unknown) => unreadable(sha256, error));
      if (size === row.size) return { path: pathOf(sha256), size, contentType: row.contentType };
      if (size !== null) await lose(sha256, row.size, size);
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
        await deps.gate.check(asset.url);
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
      const look = await lookAt(pathOf(sha256), sha256, each);
      if (gently?.aborted) return null;
      // It was dropped meanwhile, and perhaps fetched anew.
      if (held.get(sha256) !== row) return held.has(sha256);
      if (look.is === 'unread') return unreadable(sha256, look.error);
      unread.delete(sha256);
      if (look.is === 'right') return true;
      log.warn({ sha256, found: look.is }, 'media.damaged');
      await letGo(sha256, look.is === 'lost' ? 'stays' : 'goes');
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
  if (code === NOT_ALLOWED) return new Fault('asset.not_allowed', 'later', facts, error);
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
