import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';

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
