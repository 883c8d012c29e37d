import { createHash } from 'node:crypto';
import { Fault } from '@placard/protocol';
import type { MediaCache, MediaIndex } from '../../src/core/ports.ts';

export interface MemoryMedia extends MediaCache {
  /** What a download of this address brings; null: it is gone; a fault: it fails so. */
  serve(url: string, answer: Buffer | null | Fault): void;
  /** Changes the bytes under the cache's feet. */
  damage(sha256: string): void;
}

/** Media without a disk and without a network. */
export function createMemoryMedia(deps: { index: MediaIndex; maxCacheBytes: number | null }): MemoryMedia {
  const { index } = deps;
  const answers = new Map<string, Buffer | null | Fault>();
  const files = new Map<string, { bytes: Buffer; contentType: string }>();
  const cacheBytes = () => [...files.values()].reduce((sum, file) => sum + file.bytes.length, 0);
  const drop = (sha256: string) => {
    files.delete(sha256);
    index.removeMedia(sha256);
  };
  const fits = (bytes: number) => deps.maxCacheBytes === null || cacheBytes() + bytes <= deps.maxCacheBytes;
  const evictFor = (bytes: number) => {
    const gone: string[] = [];
    for (const row of index.unnamedMedia()) {
      if (Number.isFinite(bytes) && fits(bytes)) break;
      drop(row.sha256);
      gone.push(row.sha256);
    }
    return gone;
  };
  return {
    serve: (url, answer) => void answers.set(url, answer),
    damage(sha256) {
      const file = files.get(sha256);
      if (file) file.bytes = Buffer.from('damaged');
    },
    held: () => new Set(files.keys()),
    find: async (sha256) => {
      const file = files.get(sha256);
      return file ? { path: sha256, size: file.bytes.length, contentType: file.contentType } : null;
    },
    async fetch(asset) {
      if (files.has(asset.sha256)) return;
      const bytes = answers.get(asset.url);
      if (bytes === undefined || bytes === null)
        throw new Fault('asset.gone', 'later', { asset_id: asset.id });
      if (bytes instanceof Fault) throw bytes;
      if (!fits(asset.size)) evictFor(asset.size);
      if (!fits(asset.size)) throw new Fault('disk.full', 'later', { asset_id: asset.id });
      if (createHash('sha256').update(bytes).digest('hex') !== asset.sha256) {
        throw new Fault('asset.hash_mismatch', 'later', { asset_id: asset.id });
      }
      const contentType = asset.type === 'image' ? `image/${asset.format}` : `video/${asset.format}`;
      index.putMedia({ sha256: asset.sha256, size: asset.size, contentType });
      files.set(asset.sha256, { bytes, contentType });
    },
    async verify(sha256) {
      const file = files.get(sha256);
      if (file && createHash('sha256').update(file.bytes).digest('hex') === sha256) return true;
      drop(sha256);
      return false;
    },
    drop: async (sha256) => drop(sha256),
    evict: async (what) => evictFor(what === 'all_unnamed' ? Number.POSITIVE_INFINITY : 0),
    usage: async () => ({ cacheBytes: cacheBytes(), freeBytes: null }),
  };
}
