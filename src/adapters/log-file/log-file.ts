import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const MAX_FILE_BYTES = 5 * 1024 * 1024;

/**
 * Appends lines to a file that only its owner can read. One older file (`.1`) is kept; both together stay below 10
 * MB. A line that cannot be written (full disk, missing folder) is lost: logging must not disturb playback.
 */
export function openLogFile(path: string): (line: string) => void {
  return (line) => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > MAX_FILE_BYTES) {
        renameSync(path, `${path}.1`);
      }
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // See above.
    }
  };
}
