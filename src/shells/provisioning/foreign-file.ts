import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

const LARGEST_BYTES = 64 * 1024;
/** Neither follows a link nor waits for the other end of a pipe. Windows knows neither, which counts as 0. */
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** The text of a small, regular file on a disk of anybody; null for anything else. */
export function readSmall(path: string): string | null {
  return withFile(path, O_RDONLY, (file) => {
    const info = fstatSync(file);
    return info.isFile() && info.size <= LARGEST_BYTES ? readFileSync(file, 'utf8') : null;
  });
}

/** SHA-256 of the text, in hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes over the very bytes of the file; false on a partition that is mounted for reading only. */
export function overwrite(path: string, text: string): boolean {
  const done = withFile(path, O_RDWR, (file) => {
    writeSync(file, text, 0);
    fsyncSync(file);
    return true;
  });
  return done ?? false;
}

function withFile<T>(path: string, access: number, act: (file: number) => T): T | null {
  try {
    const file = openSync(path, access | O_NOFOLLOW | O_NONBLOCK);
    try {
      return act(file);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
