import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../domain/error-details.ts';

/** Where the bytes of a blob are in the folder `blobs`. */
export const blobPath = (blobsDir: string, sha256: string): string =>
  join(blobsDir, sha256.slice(0, 2), sha256);

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  // One buffer for all: those of a stream would stay in memory until the garbage collector runs.
  const buffer = Buffer.allocUnsafeSlow(1_048_576);
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) {
        return hash.digest('hex');
      }
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

export async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Opens a file for reading. Null if there is none. */
export async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return null;
    }
    throw error;
  }
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
