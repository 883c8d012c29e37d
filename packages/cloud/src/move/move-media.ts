import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { blobPath, openFile, sizeOfFile } from '../blob/blob-files.ts';
import type { BlobInfo, BlobStore } from '../blob/blob-store.ts';
import type { ReferencedBlob } from '../database/maintenance.ts';
import { formatBytes } from '../domain/disk-state.ts';
import type { Progress } from './progress.ts';

/** Files at a time: thumbnails are small, and a bucket answers each after some milliseconds. */
const FILES_AT_ONCE = 8;
const READ_BYTES = 1_048_576;

/** A file that is not as the database says. */
export interface MediaProblem {
  file: ReferencedBlob;
  fault: 'missing' | 'damaged';
}

export interface MediaResult {
  files: number;
  bytes: number;
  /** Copied by this run. */
  copied: number;
  problems: MediaProblem[];
}

export interface MediaDeps {
  /** The folder of the source. */
  blobsDir: string;
  files: readonly ReferencedBlob[];
  progress: Progress;
}

/** Copies the files that the store lacks, each verified by its hash. What devices have sent is left out where it is gone. */
export async function copyMedia(
  store: BlobStore,
  { blobsDir, files, progress }: MediaDeps,
): Promise<MediaResult> {
  const stored = await listBlobs(store);
  const result: MediaResult = { files: 0, bytes: 0, copied: 0, problems: [] };
  await forEach(files, async (file) => {
    const path = blobPath(blobsDir, file.sha256);
    const sourceSize = await sizeOfFile(path);
    const storedSize = stored.get(file.sha256)?.size;
    if (storedSize === undefined || storedSize !== (sourceSize ?? file.size ?? storedSize)) {
      const fault = await copyFile(store, path, file.sha256);
      if (fault !== null) {
        addProblem(result, { file, fault });
        return;
      }
      result.copied += 1;
    }
    result.files += 1;
    result.bytes += sourceSize ?? storedSize ?? 0;
    progress(() => `Media     ${result.files} of ${files.length} files, ${formatBytes(result.bytes)}`);
  });
  return result;
}

/** A restored database may have rows of pictures and logs whose files are gone, and nobody can upload them again. */
function addProblem({ problems }: MediaResult, problem: MediaProblem): void {
  if (problem.fault === 'damaged' || !problem.file.isSent) {
    problems.push(problem);
  }
}

async function copyFile(
  store: BlobStore,
  path: string,
  sha256: string,
): Promise<MediaProblem['fault'] | null> {
  const bytes = await readFrom(path);
  if (!bytes) {
    return 'missing';
  }
  const received = await store.receive(bytes, Number.MAX_SAFE_INTEGER);
  if (received === 'too_large') {
    throw new RangeError('a file has no upper limit here');
  }
  try {
    if (received.sha256 !== sha256) {
      return 'damaged';
    }
    await received.save();
    return null;
  } finally {
    await received.release();
  }
}

/** Reads every file where it is now, and compares its hash with its name. What devices have sent may be gone. */
export async function checkMedia(
  store: BlobStore | null,
  { blobsDir, files, progress }: MediaDeps,
): Promise<MediaResult> {
  const stored = store && (await listBlobs(store));
  const open = async ({ sha256 }: ReferencedBlob): Promise<Readable | null> => {
    if (store) {
      const blob = stored?.get(sha256);
      return blob ? store.read(blob) : null;
    }
    return readFrom(blobPath(blobsDir, sha256));
  };
  const result: MediaResult = { files: 0, bytes: 0, copied: 0, problems: [] };
  await forEach(files, async (file) => {
    const bytes = await open(file);
    const found = bytes && (await hashOf(bytes));
    if (found?.sha256 !== file.sha256) {
      addProblem(result, { file, fault: found ? 'damaged' : 'missing' });
      return;
    }
    result.files += 1;
    result.bytes += found.size;
    progress(() => `Checking  ${result.files} of ${files.length} media files, ${formatBytes(result.bytes)}`);
  });
  return result;
}

/** Null if there is no such file. */
async function readFrom(path: string): Promise<Readable | null> {
  const file = await openFile(path);
  return file && file.createReadStream({ highWaterMark: READ_BYTES });
}

async function listBlobs(store: BlobStore): Promise<Map<string, BlobInfo>> {
  const blobs = new Map<string, BlobInfo>();
  for await (const blob of store.list()) {
    blobs.set(blob.sha256, blob);
  }
  return blobs;
}

/** Several at a time; none is begun after one has failed. */
async function forEach<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    for (let next = waiting.next(); next.done !== true && !hasFailed; next = waiting.next()) {
      try {
        await run(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, worker));
}

async function hashOf(bytes: Readable): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  // Streams of files and of buckets have no other chunks.
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { sha256: hash.digest('hex'), size };
}
