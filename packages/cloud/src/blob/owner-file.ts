import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { errorCode } from '../domain/error-details.ts';
import type { MediaOwner } from '../domain/media-owner.ts';
import { StartupError } from '../domain/startup-error.ts';
import { mediaStoreError } from '../domain/storage-failure.ts';
import type { Bucket } from './s3/bucket.ts';
import { flushAndClose } from './staging.ts';

/** Name of the object, or of the file in the folder. */
const NAME = 'cloud';
const MAX_BYTES = 4096;
const OWNER = z.object({
  id: z.string().min(1).max(100),
  turn: z.int().nonnegative(),
  organization: z.string(),
});

/** Whose files a media store has, beside the files. */
export interface OwnerFile {
  /** Of the media store, for messages. */
  location: string;
  /** Null if there is none. */
  read(): Promise<MediaOwner | null>;
  write(owner: MediaOwner): Promise<void>;
  delete(): Promise<void>;
}

export const bucketOwnerFile = (bucket: Pick<Bucket, 'location' | 'get' | 'put' | 'delete'>): OwnerFile => ({
  location: bucket.location,
  async read() {
    const body = await bucket.get(NAME);
    if (!body) {
      return null;
    }
    return parse(await readStart(body, bucket.location), bucket.location);
  },
  write: (owner) => bucket.put(NAME, toBytes(owner)),
  delete: () => bucket.delete(NAME),
});

export function diskOwnerFile(dir: string): OwnerFile {
  const path = join(dir, NAME);
  return {
    location: dir,
    async read() {
      try {
        return parse(await readFile(path), dir);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') {
          return null;
        }
        throw error;
      }
    },
    async write(owner) {
      const partialFile = `${path}.part`;
      const file = await open(partialFile, 'w', 0o600);
      try {
        await file.writeFile(toBytes(owner));
      } finally {
        await flushAndClose(file);
      }
      await rename(partialFile, path);
      await flushAndClose(await open(dir, 'r'));
    },
    delete: () => rm(path, { force: true }),
  };
}

/** Stops after more than `MAX_BYTES`, which `parse` refuses. */
async function readStart(body: Readable, location: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The stream of a bucket has no other chunks.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) {
        break;
      }
    }
  } catch (error) {
    throw mediaStoreError(
      `The connection to ${location} was lost while "${NAME}" was read. Try again.`,
      error,
    );
  }
  return Buffer.concat(chunks);
}

const toBytes = (owner: MediaOwner): Buffer => Buffer.from(`${JSON.stringify(owner)}\n`);

function parse(bytes: Buffer, location: string): MediaOwner {
  const text = bytes.length > MAX_BYTES ? '' : bytes.toString();
  try {
    return OWNER.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartupError(
      `The file "${NAME}" in ${location}, which says whose media files these are, cannot be read. If no other cloud uses ` +
        'these files, run the command take-media with the same options, then start again.',
      cause,
    );
  }
}
