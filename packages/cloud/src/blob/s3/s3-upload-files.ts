import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAt } from '../blob-files.ts';
import type { DiskSpaceCheck, StagingFolder } from '../staging.ts';
import type { StoredPart, UploadFiles } from '../upload-files.ts';
import type { Bucket } from './bucket.ts';

const FOLDER = 'uploads/';
/** An object is not larger than this: the client of S3 holds it in memory while it is sent. */
const PART_BYTES = 8 * 1_048_576;

export interface S3UploadFilesDeps {
  bucket: Bucket;
  /** Where a part is collected before it is sent, and the whole file put together in the end. */
  staging: Pick<StagingFolder, 'dir'>;
  diskSpace?: DiskSpaceCheck | undefined;
}

const keyOf = (id: string, { name }: Pick<StoredPart, 'name'>) => `${FOLDER}${id}/${name}`;

/**
 * Keeps uploads as parts in a bucket, so that every node can continue them. The names of parts are never used twice: of two
 * nodes that continue an upload at once, only the parts of one are recorded.
 */
export function createS3UploadFiles({ bucket, staging, diskSpace }: S3UploadFilesDeps): UploadFiles {
  return {
    // Recorded parts are there, or `withFile` says otherwise: asking for each would take too long.
    has: async ({ received }, partBytes) => partBytes === received,
    async append({ id, received }) {
      const path = join(staging.dir, randomUUID());
      const file = await open(path, 'wx', 0o600);
      let start = received;
      let collected = 0;
      let unrecorded: StoredPart[] = [];

      const sendPart = async (): Promise<void> => {
        if (collected === 0) {
          return;
        }
        const name = `${String(start).padStart(10, '0')}-${randomBytes(6).toString('hex')}`;
        const part = { start, size: collected, name };
        unrecorded.push(part);
        await bucket.putFile(keyOf(id, part), path, collected);
        await file.truncate(0);
        start += collected;
        collected = 0;
      };

      return {
        async write(bytes) {
          if (collected + bytes.length > PART_BYTES) {
            await sendPart();
          }
          await writeAt(file, bytes, collected);
          collected += bytes.length;
        },
        async flush(record) {
          await sendPart();
          await record(unrecorded);
          unrecorded = [];
        },
        async discard() {
          for (const part of unrecorded.splice(0)) {
            await bucket.delete(keyOf(id, part));
          }
        },
        async close() {
          await file.close();
          await rm(path, { force: true });
        },
      };
    },
    async withFile({ id, received: size }, parts, use) {
      diskSpace?.requireSpaceFor(size);
      const path = join(staging.dir, randomUUID());
      const hash = createHash('sha256');
      try {
        const file = await open(path, 'wx', 0o600);
        let end = 0;
        try {
          for (const part of parts) {
            const body = part.start === end ? await bucket.get(keyOf(id, part)) : null;
            for await (const chunk of body ?? []) {
              const bytes: Buffer = chunk;
              hash.update(bytes);
              await writeAt(file, bytes, end);
              end += bytes.length;
            }
            if (end !== part.start + part.size) {
              return null;
            }
          }
        } finally {
          await file.close();
        }
        return end === size ? await use({ path, size, sha256: hash.digest('hex') }) : null;
      } finally {
        await rm(path, { force: true });
      }
    },
    async delete(id) {
      for await (const { key } of bucket.list(`${FOLDER}${id}/`)) {
        await bucket.delete(key);
      }
    },
    async *list() {
      let last = '';
      for await (const { key } of bucket.list(FOLDER)) {
        const [, id = ''] = key.split('/');
        if (id !== last) {
          yield id;
        }
        last = id;
      }
    },
  };
}
