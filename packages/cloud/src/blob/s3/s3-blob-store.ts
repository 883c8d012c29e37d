import { randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../domain/clock.ts';
import { DAY_MS, HOUR_MS } from '../../domain/durations.ts';
import type { BlobInfo, BlobRedirects, BlobStore } from '../blob-store.ts';
import { putBytes } from '../put-bytes.ts';
import type { DiskSpaceCheck, StagingFolder } from '../staging.ts';
import type { Bucket } from './bucket.ts';
import { listGroups, newestOf, TOUCHED } from './object-groups.ts';
import type { ObjectGroup } from './object-groups.ts';

const SHA256 = /^[0-9a-f]{64}$/;
/** No upload takes so long from saving the bytes to committing its row, and no download from one request to the next. */
const IN_USE_MS = HOUR_MS;

export interface S3BlobStoreDeps {
  bucket: Bucket;
  /** Where files are received, hashed and inspected before they are uploaded. */
  staging: StagingFolder;
  clock: Pick<Clock, 'nowMs'>;
  diskSpace?: DiskSpaceCheck | undefined;
}

/**
 * Stores blobs in a bucket that several nodes use. Each save is an object of its own, `<hash>/<version>`, and nothing is
 * ever overwritten: a node deletes only objects that it has listed, so it cannot delete what another one saves
 * meanwhile. The newest version by name is read.
 */
export function createS3BlobStore({ bucket, staging, clock, diskSpace }: S3BlobStoreDeps): BlobStore {
  const newVersion = () => `${clock.nowMs().toString(36).padStart(9, '0')}-${randomBytes(6).toString('hex')}`;

  const toBlob = (group: ObjectGroup): BlobInfo | null => {
    const current = group.versions.at(-1);
    // Of all objects: an upload whose clock is behind saves a version that is not the newest by name.
    const newest = newestOf(group);
    return current && newest
      ? {
          sha256: group.sha256,
          size: current.size,
          modifiedMs: clock.nowMs() - newest.ageMs,
          version: `${current.name} ${newest.modified.getTime()}`,
        }
      : null;
  };

  const findGroup = async (sha256: string): Promise<ObjectGroup | null> => {
    for await (const group of SHA256.test(sha256) ? listGroups(bucket, `${sha256}/`) : []) {
      return group;
    }
    return null;
  };
  const find = async (sha256: string): Promise<BlobInfo | null> => {
    const group = await findGroup(sha256);
    return group && toBlob(group);
  };

  const read: BlobStore['read'] = (blob, range) => bucket.get(`${blob.sha256}/${nameOf(blob)}`, range);

  const stage: BlobStore['stage'] = ({ sha256, size, path }) => ({
    sha256,
    size,
    path,
    // The object appears under its key only when all of its bytes are stored.
    save: () => bucket.putFile(`${sha256}/${newVersion()}`, path, size),
    release: async () => {},
  });
  const receive: BlobStore['receive'] = async (stream, maxBytes) => {
    const staged = await staging.receive(stream, maxBytes);
    return staged === 'too_large' ? staged : { ...stage(staged), release: () => staged.discard() };
  };

  return {
    isLocal: false,
    receive,
    stage,
    find,
    read,
    put: (bytes) => putBytes(receive, bytes),
    async withFile(sha256, use) {
      const blob = await find(sha256);
      if (!blob) {
        return null;
      }
      diskSpace?.requireSpaceFor(blob.size);
      const body = await read(blob);
      // Deleted since it was found.
      if (!body) {
        return null;
      }
      const path = join(staging.dir, randomUUID());
      try {
        await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },
    async touch(sha256) {
      if (await find(sha256)) {
        await bucket.put(`${sha256}/${TOUCHED}`, new Uint8Array());
      }
    },
    async *list() {
      for await (const group of listGroups(bucket, '')) {
        const blob = toBlob(group);
        if (blob) {
          yield blob;
        }
      }
    },
    async remove(blob, ifUnused) {
      let isUnused = false;
      await ifUnused(() => (isUnused = true));
      const group = isUnused ? await findGroup(blob.sha256) : null;
      if (group && toBlob(group)?.version === blob.version) {
        for (const { key } of group.all) {
          await bucket.delete(key);
        }
      }
    },
    delete: (blob) => bucket.delete(`${blob.sha256}/${nameOf(blob)}`),
    async sweep() {
      for await (const group of listGroups(bucket, '')) {
        const newest = newestOf(group);
        if (newest && newest.ageMs > IN_USE_MS) {
          const { versions, all } = group;
          for (const { key } of versions.length === 0 ? all : versions.slice(0, -1)) {
            await bucket.delete(key);
          }
        }
      }
      await bucket.abortUploadsOlderThan(DAY_MS);
    },
  };
}

/** Sends clients to the bucket itself for the bytes of a blob. */
export async function createRedirects(bucket: Bucket): Promise<BlobRedirects> {
  const { host } = new URL(await bucket.sign('host', 'text/plain'));
  return {
    host,
    urlOf: (blob, contentType) => bucket.sign(`${blob.sha256}/${nameOf(blob)}`, contentType),
  };
}

const nameOf = ({ version }: BlobInfo): string => version.split(' ')[0] ?? '';
