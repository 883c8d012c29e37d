import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import type { ReleaseManifest } from '../../core/update/manifest.ts';

/** What is read of an answer that is no package, so that its connection can be used again. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface PackageDownload {
  url: string;
  manifest: Pick<ReleaseManifest, 'size' | 'sha512'>;
  /** Unfinished file. What is there is gone on with: the hash over the whole tells if it was another package's. */
  part: string;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

/**
 * Downloads a package into `part`, resuming by Range, and proves it by its hash. A connection that broke leaves the
 * part for the next try; a part that is wrong is deleted. Rejects only for reasons of the disk, or when aborted.
 */
export async function fetchPackage(
  deps: PackageDownload,
): Promise<'complete' | 'download_failed' | 'wrong_hash'> {
  const { manifest, part } = deps;
  let have = await sizeOf(part);
  if (have > manifest.size) have = await discard(part);
  if (have < manifest.size) {
    const got = await receive(deps, have);
    if (!got) return 'download_failed';
    have = await sizeOf(part);
    if (have < manifest.size) return 'download_failed';
  }
  if (have === manifest.size && (await sha512Of(part)) === manifest.sha512) {
    await using file = await open(part, 'r+');
    await file.sync();
    return 'complete';
  }
  await discard(part);
  return 'wrong_hash';
}

/** False when the server has no such bytes or the connection broke. */
async function receive({ url, manifest, part, dispatcher, signal }: PackageDownload, have: number) {
  try {
    const headers = have > 0 ? { range: `bytes=${have}-` } : {};
    const { request } = await import('undici');
    const response = await request(url, { dispatcher, signal, headers });
    const resumed = response.statusCode === 206 && isAt(response.headers['content-range'], have);
    if (response.statusCode !== 200 && !resumed) {
      await response.body.dump({ limit: MAX_REFUSAL_BYTES, signal });
      if (response.statusCode === 206 || response.statusCode === 416) await discard(part);
      return false;
    }
    await using file = await open(part, resumed ? 'a' : 'w');
    let size = resumed ? have : 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      await file.write(chunk);
      size += chunk.length;
      // Longer than it should be: wrong, and not allowed to fill the disk.
      if (size > manifest.size) break;
    }
    return true;
  } catch (error) {
    // Undici and the network name their errors in many ways; those of the disk all come from a system call on a file.
    if (signal.aborted || isOfDisk(error)) throw error;
    return false;
  }
}

const isOfDisk = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync'].includes(String(error.syscall));

const isAt = (contentRange: string | string[] | undefined, at: number): boolean =>
  typeof contentRange === 'string' && contentRange.startsWith(`bytes ${at}-`);

async function sha512Of(path: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function discard(part: string): Promise<0> {
  await rm(part, { force: true });
  return 0;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    (info) => info.size,
    () => 0,
  );
