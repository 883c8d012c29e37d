import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

const MAX_FILE_BYTES = 64 * 1024;
/** Do not follow links, and do not block on a pipe. Windows has neither flag, so they count as 0 there. */
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** The text of a small, regular file on an untrusted disk; null for anything else. */
export function readUntrustedFile(path: string): string | null {
  return withFile(path, O_RDONLY, (file) => {
    const info = fstatSync(file);
    return info.isFile() && info.size <= MAX_FILE_BYTES ? readFileSync(file, 'utf8') : null;
  });
}

/** SHA-256 of the text, in hexadecimal. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Overwrites the bytes of the file in place; false on a partition that is mounted read-only. */
export function overwriteInPlace(path: string, text: string): boolean {
  const done = withFile(path, O_RDWR, (file) => {
    writeSync(file, text, 0);
    fsyncSync(file);
    return true;
  });
  return done ?? false;
}

function withFile<T>(path: string, openFlags: number, use: (file: number) => T): T | null {
  try {
    const file = openSync(path, openFlags | O_NOFOLLOW | O_NONBLOCK);
    try {
      return use(file);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
