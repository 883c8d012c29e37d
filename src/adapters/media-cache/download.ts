import { createHash } from 'node:crypto';
import { open, readFile, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { Fault, type ManifestAsset } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import { etagOf, hashFile, isMissing, sizeOf } from './media-file.ts';
import type { Pace } from './pace.ts';

/** Chunks are gathered up to this size before they are written: fewer calls, and the disk is the limit. */
const GATHER_BYTES = 1024 * 1024;

export interface DownloadDeps {
  asset: ManifestAsset;
  /** The unfinished file; what is there is gone on with. */
  part: string;
  dispatcher: Dispatcher;
  /** Waits until so many bytes may be taken from the line. */
  pace: Pace;
  signal: AbortSignal;
}

/**
 * Streams an asset into its part file, hashing on the way, and syncs it. Resumes by Range; `If-Range` makes a
 * server whose file has changed send the whole of it. Throws `Fault`; the part stays for the next try unless it
 * is known to be wrong.
 */
export async function download(deps: DownloadDeps): Promise<void> {
  const { asset, part } = deps;
  const etag = await readTag(etagOf(part));
  let from = etag === null ? 0 : await sizeOf(part);
  if (from > asset.size) {
    await rm(part, { force: true });
    from = 0;
  }
  const headers: Record<string, string> =
    from > 0 && etag ? { range: `bytes=${from}-`, 'if-range': etag } : {};
  const { request } = await import('undici');
  const response = await request(asset.url, { dispatcher: deps.dispatcher, signal: deps.signal, headers });
  // It may break while nobody reads it yet, and an error that nobody hears ends the process.
  response.body.on('error', () => {});
  try {
    await receive(deps, response, from);
  } finally {
    // What was not read to its end would hold the line for ever.
    response.body.destroy();
  }
}

/** Takes an answer: the rest of the part that ends at `from`, or the whole file. */
async function receive(deps: DownloadDeps, response: Dispatcher.ResponseData, from: number): Promise<void> {
  const { asset, part } = deps;
  const etagFile = etagOf(part);
  const status = response.statusCode;
  if (status !== 200 && status !== 206) {
    await response.body.dump({ limit: 65_536, signal: deps.signal });
    if (status === 416) await rm(part, { force: true });
    throw refusal(asset, status, response.headers['retry-after']);
  }
  if (String(response.headers['content-type']).startsWith('text/html')) {
    // Of a portal that has to be signed in to, or of a company's filter: the file itself was never asked.
    const reason = 'a page in the place of the file';
    throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason });
  }
  const resumed = status === 206 && rangeStart(response.headers['content-range']) === from;
  if (status === 206 && !resumed) {
    await rm(part, { force: true });
    throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason: 'wrong range' });
  }
  const tag = response.headers.etag;
  // The tag is on disk before the bytes: a part without one is begun again.
  if (typeof tag === 'string' && !tag.startsWith('W/')) await writeFile(etagFile, tag);
  else await rm(etagFile, { force: true });

  const hash = createHash('sha256');
  if (resumed) await hashFile(part, undefined, hash);
  const file = await open(part, resumed ? 'a' : 'w');
  let size = resumed ? from : 0;
  const write = gather(file);
  try {
    const body: AsyncIterable<Buffer> = response.body;
    for await (const bytes of body) {
      size += bytes.length;
      if (size > asset.size) break;
      hash.update(bytes);
      await write(bytes);
      await deps.pace(bytes.length, deps.signal);
    }
    await write(null);
    await file.sync();
  } catch (error) {
    // The line broke, mostly, and what has come need not come again.
    await write(null).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  // Where no length was told, the end of the connection is all there is to go by.
  const whole = 'content-length' in response.headers || 'transfer-encoding' in response.headers;
  if (size < asset.size && !whole) {
    throw new Fault('asset.download_failed', 'later', { asset_id: asset.id, reason: 'cut off', size });
  }
  if (size !== asset.size || hash.digest('hex') !== asset.sha256) {
    await rm(part, { force: true });
    await rm(etagFile, { force: true });
    throw new Fault('asset.hash_mismatch', 'later', { asset_id: asset.id, size });
  }
  await rm(etagFile, { force: true });
}

/** Only a part of which it is known that nobody named it is begun again. */
async function readTag(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

function gather(file: FileHandle): (chunk: Buffer | null) => Promise<void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  return async (chunk) => {
    if (chunk) {
      waiting.push(chunk);
      bytes += chunk.length;
    }
    if (bytes === 0 || (chunk && bytes < GATHER_BYTES)) return;
    const full = waiting;
    waiting = [];
    bytes = 0;
    await writeAll(file, full);
  };
}

/** `writev` may write less than asked on a disk that is filling up. */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<void> {
  const wanted = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < wanted) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
}

const rangeStart = (header: string | string[] | undefined): number | null => {
  const match = typeof header === 'string' ? /^bytes (\d+)-/.exec(header) : null;
  return match ? Number(match[1]) : null;
};

function refusal(asset: ManifestAsset, status: number, retryAfter: string | string[] | undefined): Fault {
  const facts = { asset_id: asset.id, status };
  if (status === 404 || status === 410) return new Fault('asset.gone', 'later', facts);
  const seconds = Number(retryAfter);
  const retry = Number.isFinite(seconds) && seconds > 0 ? { afterMs: seconds * 1_000 } : 'later';
  return new Fault('asset.download_failed', retry, facts);
}
