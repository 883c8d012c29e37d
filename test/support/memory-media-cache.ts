import { createHash } from 'node:crypto';
import { Fault } from '@placard/protocol';
import type { MediaCache, MediaIndex } from '../../src/core/ports.ts';

export interface MemoryMediaCache extends MediaCache {
  /** The result of a download from this URL; null: 404; a fault: it fails with it. */
  setDownload(url: string, content: Buffer | null | Fault): void;
  /** Changes the stored bytes without the cache noticing. */
  corrupt(sha256: string): void;
}

/** A media cache without disk and network. */
export function createMemoryMediaCache(deps: {
  index: MediaIndex;
  maxCacheBytes: number | null;
}): MemoryMediaCache {
  const { index } = deps;
  const downloads = new Map<string, Buffer | null | Fault>();
  const files = new Map<string, { bytes: Buffer; contentType: string }>();
  const cacheBytes = () => [...files.values()].reduce((sum, file) => sum + file.bytes.length, 0);
  const drop = (sha256: string) => {
    files.delete(sha256);
    index.removeMedia(sha256);
  };
  const fits = (bytes: number) => deps.maxCacheBytes === null || cacheBytes() + bytes <= deps.maxCacheBytes;
  const evictFor = (bytes: number) => {
    const evicted: string[] = [];
    for (const row of index.listUnreferencedMedia()) {
      if (Number.isFinite(bytes) && fits(bytes)) {
        break;
      }
      drop(row.sha256);
      evicted.push(row.sha256);
    }
    return evicted;
  };
  return {
    setDownload: (url, answer) => void downloads.set(url, answer),
    corrupt(sha256) {
      const file = files.get(sha256);
      if (file) {
        file.bytes = Buffer.from('damaged');
      }
    },
    cachedHashes: () => new Set(files.keys()),
    find: async (sha256) => {
      const file = files.get(sha256);
      return file ? { path: sha256, size: file.bytes.length, contentType: file.contentType } : null;
    },
    async fetch(asset) {
      if (files.has(asset.sha256)) {
        return;
      }
      const bytes = downloads.get(asset.url);
      if (bytes === undefined || bytes === null) {
        throw new Fault('asset.gone', 'later', { asset_id: asset.id });
      }
      if (bytes instanceof Fault) {
        throw bytes;
      }
      if (!fits(asset.size)) {
        evictFor(asset.size);
      }
      if (!fits(asset.size)) {
        throw new Fault('disk.full', 'later', { asset_id: asset.id });
      }
      if (createHash('sha256').update(bytes).digest('hex') !== asset.sha256) {
        throw new Fault('asset.hash_mismatch', 'later', { asset_id: asset.id });
      }
      const contentType = asset.type === 'image' ? `image/${asset.format}` : `video/${asset.format}`;
      index.saveMedia({ sha256: asset.sha256, size: asset.size, contentType });
      files.set(asset.sha256, { bytes, contentType });
    },
    async verify(sha256) {
      const file = files.get(sha256);
      if (file && createHash('sha256').update(file.bytes).digest('hex') === sha256) {
        return true;
      }
      drop(sha256);
      return false;
    },
    remove: async (sha256) => drop(sha256),
    evict: async (what) => evictFor(what === 'all_unreferenced' ? Number.POSITIVE_INFINITY : 0),
    usage: async () => ({ cacheBytes: cacheBytes(), freeBytes: null }),
  };
}
