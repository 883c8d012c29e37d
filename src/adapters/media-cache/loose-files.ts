import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../core/ports.ts';
import { etagOf, partOf, removeFile } from './media-file.ts';

/**
 * What lies in the media folder and has no row: parts of downloads, and whole files that may be taken on again. However
 * old they are, they stay until their room is needed: after a loss of the database they are all that an offline box has.
 */
export interface LooseFiles {
  /** Bytes of all of them. */
  bytes(): number;
  /** Looks again at what there is of a hash; with `busy` it is somebody else's to count. */
  look(sha256: string, busy?: boolean): Promise<void>;
  /** Removes those that this is said of. */
  remove(which: (sha256: string, kind: 'part' | 'whole') => boolean): Promise<void>;
}

export interface LooseFilesDeps {
  dir: string;
  /** Whether a row stands for this file. */
  readonly isHeld: (sha256: string) => boolean;
  log: Log;
}

export async function findLooseFiles({ dir, isHeld, log }: LooseFilesDeps): Promise<LooseFiles> {
  /** File name → bytes. */
  const sizes = new Map<string, number>();

  async function note(name: string): Promise<void> {
    const info = isHeld(name) ? null : await stat(join(dir, name)).catch(() => null);
    // What a server calls its file is a few bytes, and no part of the file.
    if (info?.isFile()) sizes.set(name, name.endsWith('.etag') ? 0 : info.size);
    else sizes.delete(name);
  }

  for (const name of await readdir(dir)) await note(name);

  return {
    bytes: () => [...sizes.values()].reduce((sum, size) => sum + size, 0),
    async look(sha256, busy = false) {
      for (const name of [sha256, partOf(sha256), etagOf(partOf(sha256))]) {
        if (busy) sizes.delete(name);
        else await note(name);
      }
    },
    async remove(which) {
      for (const name of sizes.keys()) {
        const [sha256 = '', part] = name.split('.', 2);
        if (!which(sha256, part === undefined ? 'whole' : 'part')) continue;
        await removeFile(join(dir, name), log);
        await note(name);
      }
    },
  };
}
