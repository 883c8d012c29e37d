import { createHash } from 'node:crypto';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Fault } from '@placard/protocol';
import type { ManifestAsset } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import { etagPath, hashFile, isMissing, sizeOf } from './media-file.ts';
import type { RateLimit } from './rate-limit.ts';

/** Chunks are collected up to this size before they are written: fewer calls, because the disk is the bottleneck. */
const WRITE_BUFFER_BYTES = 1024 * 1024;

export interface DownloadDeps {
  asset: ManifestAsset;
  /** The unfinished file; an existing one is resumed. */
  partPath: string;
  dispatcher: Dispatcher;
  /** Waits until this many bytes may be received. */
  rateLimit: RateLimit;
  signal: AbortSignal;
  /** Throws if the player must not be sent to this URL; without it redirects are not followed. */
  checkRedirect?: (url: string) => Promise<void>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 3;

/**
 * Streams an asset into its part file, hashes it and syncs it. Resumes with Range; `If-Range` makes a server whose
 * file has changed send all of it. Throws `Fault`; the part is kept for the next attempt unless it is known to be
 * wrong.
 */
export async function download(deps: DownloadDeps): Promise<void> {
  const { asset, partPath } = deps;
  const etag = await readTag(etagPath(partPath));
  let from = etag === null ? 0 : await sizeOf(partPath);
  if (from > asset.size) {
    await rm(partPath, { force: true });
    from = 0;
  }
  const headers: Record<string, string> =
    from > 0 && etag ? { range: `bytes=${from}-`, 'if-range': etag } : {};
  const response = await requestFile(deps, headers);
  try {
    await receiveBody(deps, response, from);
  } finally {
    // A body that was not read to its end would keep the connection open for ever.
    response.body.destroy();
  }
}

/** Requests the file, where its server redirects to if that is allowed. Such a URL may be signed: it is never logged. */
async function requestFile(
  { asset, dispatcher, signal, checkRedirect }: DownloadDeps,
  headers: Record<string, string>,
): Promise<Dispatcher.ResponseData> {
  const { request } = await import('undici');
  let { url } = asset;
  for (let redirects = 0; ; redirects++) {
    const response = await request(url, { dispatcher, signal, headers });
    // The body may fail before it is read, and an unhandled error event ends the process.
    response.body.on('error', () => {});
    const { location } = response.headers;
    if (
      !REDIRECTS.has(response.statusCode) ||
      typeof location !== 'string' ||
      !checkRedirect ||
      redirects === MAX_REDIRECTS
    ) {
      return response;
    }
    await response.body.dump({ limit: 65_536, signal });
    if (!URL.canParse(location, url)) {
      throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason: 'a wrong redirect' });
    }
    url = new URL(location, url).href;
    await checkRedirect(url);
  }
}

/** Receives a response: the rest of the part, from byte `from` on, or the whole file. */
async function receiveBody(
  deps: DownloadDeps,
  response: Dispatcher.ResponseData,
  from: number,
): Promise<void> {
  const { asset, partPath } = deps;
  const etagFile = etagPath(partPath);
  const status = response.statusCode;
  if (status !== 200 && status !== 206) {
    await response.body.dump({ limit: 65_536, signal: deps.signal });
    if (status === 416) {
      await rm(partPath, { force: true });
    }
    throw toResponseFault(asset, status, response.headers['retry-after']);
  }
  if (String(response.headers['content-type']).startsWith('text/html')) {
    // From a captive portal or a company's filter: the request did not reach the file server.
    const reason = 'an HTML page instead of the file';
    throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason });
  }
  const resumed = status === 206 && rangeStart(response.headers['content-range']) === from;
  if (status === 206 && !resumed) {
    await rm(partPath, { force: true });
    throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason: 'wrong range' });
  }
  const tag = response.headers.etag;
  // The ETag is on disk before the bytes: a part without one is restarted.
  if (typeof tag === 'string' && !tag.startsWith('W/')) {
    await writeFile(etagFile, tag);
  } else {
    await rm(etagFile, { force: true });
  }

  const hash = createHash('sha256');
  if (resumed) {
    await hashFile(partPath, undefined, hash);
  }
  const file = await open(partPath, resumed ? 'a' : 'w');
  let size = resumed ? from : 0;
  const write = createBufferedWriter(file);
  try {
    const body: AsyncIterable<Buffer> = response.body;
    for await (const bytes of body) {
      size += bytes.length;
      if (size > asset.size) {
        break;
      }
      hash.update(bytes);
      await write(bytes);
      await deps.rateLimit(bytes.length, deps.signal);
    }
    await write(null);
    await file.sync();
  } catch (error) {
    // Usually a broken connection; the received bytes are kept.
    await write(null).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  // Without a known length, a closed connection may be the end of the file or a failure.
  const hasKnownEnd = 'content-length' in response.headers || 'transfer-encoding' in response.headers;
  if (size < asset.size && !hasKnownEnd) {
    throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason: 'cut off', size });
  }
  if (size !== asset.size || hash.digest('hex') !== asset.sha256) {
    await rm(partPath, { force: true });
    await rm(etagFile, { force: true });
    throw new Fault('asset.hash_mismatch', 'later', { asset_id: asset.id, size });
  }
  await rm(etagFile, { force: true });
}

/** Null only when there is certainly no ETag; other errors are thrown. */
async function readTag(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) {
      return null;
    }
    throw error;
  });
}

function createBufferedWriter(file: FileHandle): (chunk: Buffer | null) => Promise<void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  return async (chunk) => {
    if (chunk) {
      waiting.push(chunk);
      bytes += chunk.length;
    }
    if (bytes === 0 || (chunk && bytes < WRITE_BUFFER_BYTES)) {
      return;
    }
    const full = waiting;
    waiting = [];
    bytes = 0;
    await writeAll(file, full);
  };
}

/** `writev` may write less than requested on a disk that is filling up. */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<void> {
  const wanted = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < wanted) {
    await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
  }
}

const rangeStart = (header: string | string[] | undefined): number | null => {
  const match = typeof header === 'string' ? /^bytes (\d+)-/.exec(header) : null;
  return match ? Number(match[1]) : null;
};

function toResponseFault(
  asset: ManifestAsset,
  status: number,
  retryAfter: string | string[] | undefined,
): Fault {
  const details = { asset_id: asset.id, status };
  if (status === 404 || status === 410) {
    return new Fault('asset.gone', 'later', details);
  }
  const seconds = Number(retryAfter);
  const retry = Number.isFinite(seconds) && seconds > 0 ? { afterMs: seconds * 1_000 } : 'later';
  return new Fault('asset.download_failed', retry, details);
}
