import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import type { ReleaseManifest } from '../../core/update/release-manifest.ts';

/** How much of an error response is read, so that its connection can be reused. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

export interface PackageDownload {
  url: string;
  manifest: Pick<ReleaseManifest, 'size' | 'sha512'>;
  /** Unfinished file. An existing one is resumed: the hash over the whole file shows if it was of another package. */
  partPath: string;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

/**
 * Downloads a package into `partPath`, resuming with Range, and verifies its hash. A broken connection leaves the
 * part for the next attempt; a wrong part is deleted. Rejects only for disk errors, or when aborted.
 */
export async function fetchPackage(
  deps: PackageDownload,
): Promise<'complete' | 'download_failed' | 'wrong_hash'> {
  const { manifest, partPath } = deps;
  let receivedBytes = await sizeOf(partPath);
  if (receivedBytes > manifest.size) {
    receivedBytes = await discard(partPath);
  }
  if (receivedBytes < manifest.size) {
    const got = await downloadRest(deps, receivedBytes);
    if (!got) {
      return 'download_failed';
    }
    receivedBytes = await sizeOf(partPath);
    if (receivedBytes < manifest.size) {
      return 'download_failed';
    }
  }
  if (receivedBytes === manifest.size && (await sha512Of(partPath)) === manifest.sha512) {
    await using file = await open(partPath, 'r+');
    await file.sync();
    return 'complete';
  }
  await discard(partPath);
  return 'wrong_hash';
}

/** False when the server does not have these bytes or the connection broke. */
async function downloadRest(
  { url, manifest, partPath, dispatcher, signal }: PackageDownload,
  receivedBytes: number,
) {
  try {
    const headers = receivedBytes > 0 ? { range: `bytes=${receivedBytes}-` } : {};
    const { request } = await import('undici');
    const response = await request(url, { dispatcher, signal, headers });
    const resumed = response.statusCode === 206 && startsAt(response.headers['content-range'], receivedBytes);
    if (response.statusCode !== 200 && !resumed) {
      await response.body.dump({ limit: MAX_ERROR_BODY_BYTES, signal });
      if (response.statusCode === 206 || response.statusCode === 416) {
        await discard(partPath);
      }
      return false;
    }
    await using file = await open(partPath, resumed ? 'a' : 'w');
    let size = resumed ? receivedBytes : 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      await file.write(chunk);
      size += chunk.length;
      // Longer than expected: wrong, and it must not fill the disk.
      if (size > manifest.size) {
        break;
      }
    }
    return true;
  } catch (error) {
    // undici and the network have many error codes; disk errors all come from a system call on a file.
    if (signal.aborted || isDiskError(error)) {
      throw error;
    }
    return false;
  }
}

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync'].includes(String(error.syscall));

const startsAt = (contentRange: string | string[] | undefined, at: number): boolean =>
  typeof contentRange === 'string' && contentRange.startsWith(`bytes ${at}-`);

async function sha512Of(path: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function discard(partPath: string): Promise<0> {
  await rm(partPath, { force: true });
  return 0;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    (info) => info.size,
    () => 0,
  );
