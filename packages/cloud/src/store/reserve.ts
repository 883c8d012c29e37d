import { randomBytes } from 'node:crypto';
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../domain/error-facts.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';

const STEP_BYTES = 1_048_576;

/** A file that takes up room, to be given back when a write that frees more does not fit. */
export interface Reserve {
  /** Bytes that it takes up now. Another process (the command line) may have made it smaller. */
  size(): number;
  /** Makes it this large; answers false when the disk was full before it was. */
  growTo(bytes: number): boolean;
  /** Gives that many bytes back to the disk, or what there is; answers how many that were. */
  give(bytes: number): number;
}

export function openReserve(dataDir: string): Reserve {
  const path = join(dataDir, 'cloud.reserve');
  const size = (): number => {
    try {
      return statSync(path).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 0;
      throw error;
    }
  };
  return {
    size,
    growTo(bytes) {
      let held = size();
      if (held >= bytes) return true;
      const file = openSync(path, 'a', 0o600);
      try {
        while (held < bytes) {
          // Random: a file system that packs or skips zeros would set nothing aside.
          held += writeSync(file, randomBytes(Math.min(STEP_BYTES, bytes - held)));
        }
        return true;
      } catch (error) {
        if (storageTroubleOf(error) === 'full') return false;
        throw error;
      } finally {
        closeSync(file);
      }
    },
    give(bytes) {
      const held = size();
      const given = Math.min(held, bytes);
      if (given > 0) truncateSync(path, held - given);
      return given;
    },
  };
}
