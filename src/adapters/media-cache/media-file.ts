import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { errorCode } from '../../core/error-details.ts';
import type { Log } from '../../core/ports.ts';

export const partPath = (path: string): string => `${path}.part`;
/** File with the ETag of the asset that this part belongs to. */
export const etagPath = (part: string): string => `${part}.etag`;

const READ_BYTES = 1024 * 1024;

/** Size of a file in bytes, 0 when it does not exist; rejects when the size cannot be read. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) {
      return 0;
    }
    throw error;
  }
}

/** Hashes a file from the disk; `onBytes` is called with the size of each chunk and awaited. */
export async function hashFile(
  path: string,
  onBytes?: (bytes: number) => Promise<void>,
  hash = createHash('sha256'),
): Promise<Hash> {
  const bytes: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const chunk of bytes) {
    hash.update(chunk);
    await onBytes?.(chunk.length);
  }
  return hash;
}

/**
 * The result of reading a file. `invalid`: it is missing or has another hash. `lost`: the disk cannot read its bytes.
 * `unreadable`: a system error that says nothing about the file, such as no free file handles or memory.
 */
export type FileCheck =
  { result: 'valid' | 'invalid' | 'bad_blocks' } | { result: 'unreadable'; error: unknown };

const BAD_BLOCK_CODES: ReadonlySet<string> = new Set(['EIO', 'EBADMSG', 'EUCLEAN']);

export async function checkFile(
  path: string,
  sha256: string,
  onBytes?: (bytes: number) => Promise<void>,
): Promise<FileCheck> {
  try {
    const hash = await hashFile(path, onBytes);
    return { result: hash.digest('hex') === sha256 ? 'valid' : 'invalid' };
  } catch (error) {
    if (isMissing(error)) {
      return { result: 'invalid' };
    }
    return BAD_BLOCK_CODES.has(errorCode(error)) ? { result: 'bad_blocks' } : { result: 'unreadable', error };
  }
}

/** A file that cannot be removed stays, but without a row it is never shown. */
export async function removeFile(path: string, log: Log): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    log.warn({ path, reason: errorCode(error) }, 'media.remove_failed');
  });
}

export const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT';
