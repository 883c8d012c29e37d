import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Log } from '../../core/ports.ts';

export const partOf = (path: string): string => `${path}.part`;
/** What its server called the file that a part is of. */
export const etagOf = (part: string): string => `${part}.etag`;

const READ_BYTES = 1024 * 1024;

/** Bytes of a file, 0 when there is none; rejects when that cannot be told. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** Hashes a file from the disk; `each` is told of the bytes, and waited for. */
export async function hashFile(
  path: string,
  each?: (bytes: number) => Promise<void>,
  hash = createHash('sha256'),
): Promise<Hash> {
  const bytes: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const chunk of bytes) {
    hash.update(chunk);
    await each?.(chunk.length);
  }
  return hash;
}

/**
 * What reading a file says of it. `wrong`: it is missing or has another hash. `lost`: the disk does not give its bytes
 * back. `unread`: an error of the box, as when no handle or no memory is left, which says nothing of the file.
 */
export type Look = { is: 'right' | 'wrong' | 'lost' } | { is: 'unread'; error: unknown };

const LOST: ReadonlySet<string> = new Set(['EIO', 'EBADMSG', 'EUCLEAN']);

export async function lookAt(
  path: string,
  sha256: string,
  each?: (bytes: number) => Promise<void>,
): Promise<Look> {
  try {
    const hash = await hashFile(path, each);
    return { is: hash.digest('hex') === sha256 ? 'right' : 'wrong' };
  } catch (error) {
    if (isMissing(error)) return { is: 'wrong' };
    return LOST.has(codeOf(error)) ? { is: 'lost' } : { is: 'unread', error };
  }
}

/** Where it cannot be removed it stays: no row stands for it, and so it is not shown. */
export async function removeFile(path: string, log: Log): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    log.warn({ path, reason: codeOf(error) }, 'media.not_removed');
  });
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';
