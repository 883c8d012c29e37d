import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type ManifestAsset } from '@placard/protocol';
import type { Log, MediaIndex } from '../../core/ports.ts';
import { sizeOf } from './download.ts';
import { partOf, type LooseFiles } from './loose-files.ts';

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

  const partBytes = (asset: ManifestAsset) => sizeOf(partOf(join(dir, asset.sha256)));

  async function usage() {
    let cacheBytes = loose.bytes();
    for (const row of held.values()) cacheBytes += row.size;
    for (const asset of running.values()) cacheBytes += await partBytes(asset);
    const disk = await statfs(dir).catch(() => null);
    return { cacheBytes, freeBytes: disk ? disk.bavail * disk.bsize : null };
  }

  /** What a download will still take: its part is counted already. */
  async function toCome(asset: ManifestAsset): Promise<number> {
    return Math.max(0, asset.size - (await partBytes(asset)));
  }

  async function fits(wanted: number): Promise<boolean> {
    let bytes = wanted;
    for (const asset of running.values()) bytes += await toCome(asset);
    const now = await usage();
    if (deps.maxCacheBytes !== null && now.cacheBytes + bytes > deps.maxCacheBytes) return false;
    return now.freeBytes === null || now.freeBytes - bytes >= deps.minFreeBytes;
  }

  const isUnnamed = (sha256: string) => !running.has(sha256) && !index.isNamed(sha256);

  /** Parts of downloads and files without a row go first, then what was shown longest ago. */
  async function evictWhile(isTooMuch: () => Promise<boolean>): Promise<string[]> {
    const gone: string[] = [];
    if (!(await isTooMuch())) return gone;
    await loose.remove(isUnnamed);
    for (const row of index.unnamedMedia()) {
      if (!(await isTooMuch())) break;
      // A manifest may have come, or a picture begun, since the list was made.
      if (!held.has(row.sha256) || !isUnnamed(row.sha256)) continue;
      await deps.drop(row.sha256);
      gone.push(row.sha256);
      log.info({ sha256: row.sha256, size: row.size }, 'media.evicted');
    }
    return gone;
  }

  async function makeRoom(asset: ManifestAsset): Promise<void> {
    const bytes = await toCome(asset);
    const isTooMuch = async () => !(await fits(bytes));
    await evictWhile(isTooMuch);
    if (await isTooMuch()) {
      throw new Fault('disk.full', 'later', { asset_id: asset.id, needed: bytes, ...(await usage()) });
    }
    running.set(asset.sha256, asset);
    await loose.look(asset.sha256, true);
  }

  return {
    usage,
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
      if (what === 'all_unnamed') return evictWhile(async () => true);
      await loose.remove((sha256, kind) => kind === 'part' && isUnnamed(sha256));
      return evictWhile(async () => !(await fits(0)));
    },
  };
}
