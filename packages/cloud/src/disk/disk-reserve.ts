import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../domain/error-details.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';

const WRITE_BYTES = 65_536;

/** A file that occupies disk space, released when a write that frees space does not fit. */
export function openDiskReserve(dataDir: string) {
  const path = join(dataDir, 'cloud.reserve');
  /** Current size. Another process (the command line) may have shrunk it. */
  const sizeBytes = (): number => {
    try {
      return statSync(path).size;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') {
        return 0;
      }
      throw error;
    }
  };
  return {
    sizeBytes,
    /** Grows to this size; returns false if the disk became full first. */
    growTo(bytes: number): boolean {
      let currentBytes = sizeBytes();
      if (currentBytes >= bytes) {
        return true;
      }
      // Small, and used again: megabytes outside of the heap would stay with the process for long.
      const buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
      const file = openSync(path, 'a', 0o600);
      try {
        while (currentBytes < bytes) {
          // Random data: file systems that compress or skip zeros would reserve nothing.
          randomFillSync(buffer);
          currentBytes += writeSync(file, buffer, 0, Math.min(WRITE_BYTES, bytes - currentBytes));
        }
        return true;
      } catch (error) {
        if (storageFailureOf(error) === 'full') {
          return false;
        }
        throw error;
      } finally {
        closeSync(file);
      }
    },
    /** Shrinks by up to this many bytes; returns the number of bytes released. */
    shrinkBy(bytes: number): number {
      const currentBytes = sizeBytes();
      const released = Math.min(currentBytes, bytes);
      if (released > 0) {
        truncateSync(path, currentBytes - released);
      }
      return released;
    },
  };
}
