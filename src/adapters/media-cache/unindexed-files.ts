import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../core/ports.ts';
import { etagPath, partPath, removeFile } from './media-file.ts';

/**
 * Files in the media folder without a row: parts of downloads, and complete files that can be adopted. They are kept,
 * whatever their age, until their space is needed: without its database an offline device has nothing else.
 */
export interface UnindexedFiles {
  /** Bytes of all of them together. */
  totalBytes(): number;
  /** Updates the entry for a hash; files in use (`isInUse`) are counted elsewhere. */
  refresh(sha256: string, isInUse?: boolean): Promise<void>;
  /** Removes the files that match. */
  removeMatching(matches: (sha256: string, kind: 'part' | 'whole') => boolean): Promise<void>;
}

export async function findUnindexedFiles(deps: {
  dir: string;
  /** Whether this file has a row. */
  readonly isCached: (sha256: string) => boolean;
  log: Log;
}): Promise<UnindexedFiles> {
  const { dir, isCached, log } = deps;
  /** File name → bytes. */
  const sizes = new Map<string, number>();

  async function updateSize(name: string): Promise<void> {
    const info = isCached(name) ? null : await stat(join(dir, name)).catch(() => null);
    // An ETag file is only a few bytes, and not part of the asset.
    if (info?.isFile()) {
      sizes.set(name, name.endsWith('.etag') ? 0 : info.size);
    } else {
      sizes.delete(name);
    }
  }

  for (const name of await readdir(dir)) {
    await updateSize(name);
  }

  return {
    totalBytes: () => [...sizes.values()].reduce((sum, size) => sum + size, 0),
    async refresh(sha256, isInUse = false) {
      for (const name of [sha256, partPath(sha256), etagPath(partPath(sha256))]) {
        if (isInUse) {
          sizes.delete(name);
        } else {
          await updateSize(name);
        }
      }
    },
    async removeMatching(matches) {
      for (const name of sizes.keys()) {
        const [sha256 = '', part] = name.split('.', 2);
        if (!matches(sha256, part === undefined ? 'whole' : 'part')) {
          continue;
        }
        await removeFile(join(dir, name), log);
        await updateSize(name);
      }
    },
  };
}
