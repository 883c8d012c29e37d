import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import type { ManifestAsset } from '@placard/protocol';
import type { Log, MediaIndex } from '../../core/ports.ts';
import type { UnindexedFiles } from './unindexed-files.ts';
import { partPath, sizeOf } from './media-file.ts';

/** Limits how much of the disk the media cache may use. */
export function createDiskBudget(deps: {
  dir: string;
  index: MediaIndex;
  cached: ReadonlyMap<string, { size: number }>;
  unindexed: UnindexedFiles;
  drop(sha256: string): Promise<void>;
  maxCacheBytes: number | null;
  minFreeBytes: number;
  log: Log;
}) {
  const { dir, index, cached, unindexed, log } = deps;
  /** Downloads with a reservation. */
  const reservedDownloads = new Map<string, ManifestAsset>();
  let lastReservation: Promise<void> = Promise.resolve();

  /** Bytes of the asset on the disk: as a part, or whole and not in the index yet. */
  async function bytesOnDisk(asset: ManifestAsset): Promise<number> {
    if (cached.has(asset.sha256)) {
      return asset.size;
    }
    const path = join(dir, asset.sha256);
    // When the size cannot be read, the full size is reserved. One after the other: a part that is renamed in
    // between is seen under one of its two names.
    const part = await sizeOf(partPath(path)).catch(() => 0);
    return Math.max(part, await sizeOf(path).catch(() => 0));
  }

  const remainingBytes = async (asset: ManifestAsset) => Math.max(0, asset.size - (await bytesOnDisk(asset)));

  async function freeBytes(): Promise<number | null> {
    const disk = await statfs(dir).catch(() => null);
    return disk ? disk.bavail * disk.bsize : null;
  }

  function idleBytes(): number {
    let bytes = unindexed.totalBytes();
    for (const [sha256, row] of cached) {
      if (!reservedDownloads.has(sha256)) {
        bytes += row.size;
      }
    }
    return bytes;
  }

  async function fits(wanted: number): Promise<boolean> {
    // Read the free space first: otherwise bytes that a parallel download writes now would be counted twice.
    const availableBytes = await freeBytes();
    let reservedBytes = wanted;
    for (const asset of reservedDownloads.values()) {
      reservedBytes += await remainingBytes(asset);
    }
    if (availableBytes !== null && availableBytes - reservedBytes < deps.minFreeBytes) {
      return false;
    }
    let usedBytes = idleBytes();
    for (const asset of reservedDownloads.values()) {
      usedBytes += asset.size;
    }
    return deps.maxCacheBytes === null || usedBytes + wanted <= deps.maxCacheBytes;
  }

  const isEvictable = (sha256: string) => !reservedDownloads.has(sha256) && !index.isReferenced(sha256);

  /** Parts and files without a row are evicted first, then the assets that were shown longest ago. */
  async function evictWhile(
    isTooMuch: () => Promise<boolean>,
  ): Promise<{ evicted: string[]; enough: boolean }> {
    const evicted: string[] = [];
    if (!(await isTooMuch())) {
      return { evicted, enough: true };
    }
    await unindexed.removeMatching(isEvictable);
    for (const row of index.listUnreferencedMedia()) {
      if (!(await isTooMuch())) {
        return { evicted, enough: true };
      }
      // A manifest may have arrived, or a showing started, since the list was made.
      if (!cached.has(row.sha256) || !isEvictable(row.sha256)) {
        continue;
      }
      await deps.drop(row.sha256);
      evicted.push(row.sha256);
      log.info({ sha256: row.sha256, size: row.size }, 'media.evicted');
    }
    return { evicted, enough: !(await isTooMuch()) };
  }

  async function reserveSpace(asset: ManifestAsset): Promise<void> {
    const bytes = await remainingBytes(asset);
    const { enough } = await evictWhile(async () => !(await fits(bytes)));
    if (!enough) {
      throw new Fault('disk.full', 'later', { asset_id: asset.id, needed: bytes, free: await freeBytes() });
    }
    reservedDownloads.set(asset.sha256, asset);
    await unindexed.refresh(asset.sha256, true);
  }

  return {
    async usage() {
      let cacheBytes = idleBytes();
      for (const asset of reservedDownloads.values()) {
        cacheBytes += await bytesOnDisk(asset);
      }
      return { cacheBytes, freeBytes: await freeBytes() };
    },
    /**
     * Reserves space for a download before its first byte, so that a full disk stops a download and not the database.
     * Throws `Fault` `disk.full`.
     */
    reserve(asset: ManifestAsset): Promise<void> {
      // One after the other, so that the same space is not reserved twice.
      const reservation = lastReservation.then(() => reserveSpace(asset));
      lastReservation = reservation.catch(() => {});
      return reservation;
    },
    /** Releases the part of the reservation that was not used. */
    async release(asset: ManifestAsset) {
      reservedDownloads.delete(asset.sha256);
      await unindexed.refresh(asset.sha256);
    },
    /** Deletes unreferenced files: all, or until the budget is kept; returns the hashes of deleted cached files. */
    async evict(scope: 'over_budget' | 'all_unreferenced'): Promise<string[]> {
      if (scope === 'all_unreferenced') {
        return (await evictWhile(async () => true)).evicted;
      }
      await unindexed.removeMatching((sha256, kind) => kind === 'part' && isEvictable(sha256));
      return (await evictWhile(async () => !(await fits(0)))).evicted;
    },
  };
}
