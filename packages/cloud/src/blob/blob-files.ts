import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../domain/error-details.ts';

/** Where the bytes of a blob are in the folder `blobs`. */
export const blobPath = (blobsDir: string, sha256: string): string =>
  join(blobsDir, sha256.slice(0, 2), sha256);

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 1_048_576 })) {
    hash.update(bytes);
  }
  return hash.digest('hex');
}

/** Null if there is no such file. */
export async function sizeOfFile(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return null;
    }
    throw error;
  }
}
