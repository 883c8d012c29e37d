import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Logger } from 'pino';
import type { SentFile, SentFiles } from '../domain/sent-files.ts';
import type { BlobStore } from './blob-store.ts';

/** Random bytes behind each file: nobody else saves, has or guesses a file with its hash. */
const SALT_BYTES = 16;
/** Of a whole organization there are thousands, and a bucket answers each request after some milliseconds. */
const DELETED_AT_ONCE = 8;
/** Then the store is not asked any more. */
const MAX_FAILURES = 10;

export interface SentFilesDeps {
  blobs: Pick<BlobStore, 'put' | 'find' | 'read' | 'delete'>;
  /** Whether the media are those of this database. */
  mayDelete: () => Promise<boolean>;
  log: Pick<Logger, 'warn'>;
}

export function createSentFiles({
  blobs,
  mayDelete,
  log,
}: SentFilesDeps): SentFiles & { close: () => Promise<void> } {
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const readBytes = async ({ sha256, size }: SentFile): Promise<Buffer | null> => {
    const blob = await blobs.find(sha256);
    const bytes = blob && (await blobs.read(blob, { start: 0, end: size - 1 }));
    return bytes && buffer(bytes);
  };

  const deleteFile = async ({ sha256, size }: SentFile): Promise<void> => {
    const blob = await blobs.find(sha256);
    // Without the random bytes it is of an earlier version, and may be that of other rows as well: the job looks for them.
    if (blob?.size === size + SALT_BYTES) {
      await blobs.delete(blob);
    }
  };

  /** Throws the first failure, after all that can be deleted is. */
  const deleteFiles = async (files: readonly SentFile[]): Promise<void> => {
    const waiting = files.values();
    const failures: unknown[] = [];
    const worker = async () => {
      for (const file of waiting) {
        if (isClosed || failures.length >= MAX_FAILURES) {
          return;
        }
        await deleteFile(file).catch((error: unknown) => void failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: DELETED_AT_ONCE }, worker));
    if (failures.length > 0) {
      throw failures[0];
    }
  };

  const run = async (files: readonly SentFile[], check: () => Promise<boolean>): Promise<void> => {
    try {
      if (files.length > 0 && (await check())) {
        await deleteFiles(files);
      }
    } catch (error) {
      log.warn(
        {
          err: error,
          message:
            'not all files of replaced pictures or logs could be deleted; the hourly job deletes them within two hours',
        },
        'sent_files.not_deleted',
      );
    }
  };
  const track = async (task: Promise<void>): Promise<void> => {
    running.add(task);
    await task;
    running.delete(task);
  };

  return {
    async save(bytes) {
      const staged = await blobs.put(Buffer.concat([bytes, randomBytes(SALT_BYTES)]));
      return { file: { sha256: staged.sha256, size: bytes.length }, release: () => staged.release() };
    },
    async read(find) {
      let before: string | undefined;
      for (let row = await find(); row && row.sha256 !== before; row = await find()) {
        const bytes = await readBytes(row);
        if (bytes) {
          return { row, bytes };
        }
        before = row.sha256;
      }
      return null;
    },
    delete: (files) => track(run(files, async () => true)),
    deleteForbidden: (files) => track(run(files, mayDelete)),
    /** Ends what is being deleted; the rest is left to the job. */
    async close() {
      isClosed = true;
      await Promise.all(running);
    },
  };
}
