import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type ManifestAsset } from '@placard/protocol';
import type { Log, MediaIndex } from '../../core/ports.ts';
import type { LooseFiles } from './loose-files.ts';
import { partOf, sizeOf } from './media-file.ts';

/** Who may have how much of the disk. */
export interface Room {
  usage(): Promise<{ cacheBytes: number; freeBytes: number | null }>;
  /**
   * Promises room to a download before a byte of it is fetched, so that a full disk stops a download and not the
   * database. Throws `Fault` `disk.full`.
   */
  reserve(asset: ManifestAsset): Promise<void>;
  /** What was promised and not taken is free again. */
  release(asset: ManifestAsset): Promise<void>;
  /** Deletes what nobody names: all of it, or until the budget is kept; tells the hashes of what was held. */
  evict(what: 'over_budget' | 'all_unnamed'): Promise<string[]>;
}

export interface RoomDeps {
  dir: string;
  index: MediaIndex;
  held: ReadonlyMap<string, { size: number }>;
  loose: LooseFiles;
  drop(sha256: string): Promise<void>;
  maxCacheBytes: number | null;
  minFreeBytes: number;
  log: Log;
}

export function createRoom(deps: RoomDeps): Room {
  const { dir, index, held, loose, log } = deps;
  /** Downloads that room was made for. */
  const running = new Map<string, ManifestAsset>();
  let lastReservation: Promise<void> = Promise.resolve();

  /** Bytes of it that are on the disk: as a part, or whole and not held yet. */
  async function hereBytes(asset: ManifestAsset): Promise<number> {
    if (held.has(asset.sha256)) return asset.size;
    const path = join(dir, asset.sha256);
    // Of what cannot be told, room is kept for all of it. One after the other: a part that is given the name of the
    // file in between is seen under one of the two.
    const part = await sizeOf(partOf(path)).catch(() => 0);
    return Math.max(part, await sizeOf(path).catch(() => 0));
  }

  const toCome = async (asset: ManifestAsset) => Math.max(0, asset.size - (await hereBytes(asset)));

  async function freeBytes(): Promise<number | null> {
    const disk = await statfs(dir).catch(() => null);
    return disk ? disk.bavail * disk.bsize : null;
  }

  function restingBytes(): number {
    let bytes = loose.bytes();
    for (const [sha256, row] of held) if (!running.has(sha256)) bytes += row.size;
    return bytes;
  }

  async function fits(wanted: number): Promise<boolean> {
    // First what is free: a download that goes on meanwhile must not be counted twice, as written and as to come.
    const free = await freeBytes();
    let promised = wanted;
    for (const asset of running.values()) promised += await toCome(asset);
    if (free !== null && free - promised < deps.minFreeBytes) return false;
    let taken = restingBytes();
    for (const asset of running.values()) taken += asset.size;
    return deps.maxCacheBytes === null || taken + wanted <= deps.maxCacheBytes;
  }

  const isUnnamed = (sha256: string) => !running.has(sha256) && !index.isNamed(sha256);

  /** Parts of downloads and files without a row go first, then what was shown longest ago. */
  async function evictWhile(isTooMuch: () => Promise<boolean>): Promise<{ gone: string[]; enough: boolean }> {
    const gone: string[] = [];
    if (!(await isTooMuch())) return { gone, enough: true };
    await loose.remove(isUnnamed);
    for (const row of index.unnamedMedia()) {
      if (!(await isTooMuch())) return { gone, enough: true };
      // A manifest may have come, or a picture begun, since the list was made.
      if (!held.has(row.sha256) || !isUnnamed(row.sha256)) continue;
      await deps.drop(row.sha256);
      gone.push(row.sha256);
      log.info({ sha256: row.sha256, size: row.size }, 'media.evicted');
    }
    return { gone, enough: !(await isTooMuch()) };
  }

  async function makeRoom(asset: ManifestAsset): Promise<void> {
    const bytes = await toCome(asset);
    const { enough } = await evictWhile(async () => !(await fits(bytes)));
    if (!enough) {
      throw new Fault('disk.full', 'later', { asset_id: asset.id, needed: bytes, free: await freeBytes() });
    }
    running.set(asset.sha256, asset);
    await loose.look(asset.sha256, true);
  }

  return {
    async usage() {
      let cacheBytes = restingBytes();
      for (const asset of running.values()) cacheBytes += await hereBytes(asset);
      return { cacheBytes, freeBytes: await freeBytes() };
    },
    reserve(asset) {
      // One after the other, for two must not be promised the same room.
      const mine = lastReservation.then(() => makeRoom(asset));
      lastReservation = mine.catch(() => {});
      return mine;
    },
    async release(asset) {
      running.delete(asset.sha256);
      await loose.look(asset.sha256);
    },
    async evict(what) {
      if (what === 'all_unnamed') return (await evictWhile(async () => true)).gone;
      await loose.remove((sha256, kind) => kind === 'part' && isUnnamed(sha256));
      return (await evictWhile(async () => !(await fits(0)))).gone;
    },
  };
}
