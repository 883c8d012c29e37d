import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const LARGEST_BYTES = 5 * 1024 * 1024;

/**
 * Appends lines to a file for its owner alone; one older file (`.1`) is kept, so that both together never outgrow
 * 10 MB. A line that cannot be written (the disk is full, the folder is gone) is lost: no log is worth the picture.
 */
export function openLogFile(path: string): (line: string) => void {
  return (line) => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LARGEST_BYTES) renameSync(path, `${path}.1`);
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // Said above.
    }
  };
}
