import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { byteRange } from './byte-range.ts';

/** A verified file of the media cache. */
export interface MediaFile {
  path: string;
  /** Bytes. */
  size: number;
  contentType: string;
}

const READ_BYTES = 256 * 1024;

/**
 * Responds to GET and HEAD for one file, with ranges. Reading follows the backpressure of the socket and ends when
 * the browser disconnects. Responds 404 when the file is missing on disk.
 */
export async function respondWithMedia(
  request: IncomingMessage,
  response: ServerResponse,
  file: MediaFile,
  etag: string,
): Promise<void> {
  const handle = await open(file.path, 'r').catch(() => null);
  if (!handle) {
    response.writeHead(404).end();
    return;
  }
  try {
    // The length on disk, not the recorded one: Content-Length must be correct even for a damaged file.
    const { size } = await handle.stat();
    const ifRange = request.headers['if-range'];
    const range = byteRange(
      ifRange === undefined || ifRange === etag ? request.headers.range : undefined,
      size,
    );
    // The media cache is the cache; a second copy in the browser's cache would only wear out the SD card.
    const headers = { 'accept-ranges': 'bytes', 'cache-control': 'no-store', etag };
    if (range.kind === 'unsatisfiable') {
      response.writeHead(416, { ...headers, 'content-range': `bytes */${size}`, 'content-length': 0 }).end();
      return;
    }
    const start = range.kind === 'part' ? range.start : 0;
    const end = range.kind === 'part' ? range.end : size - 1;
    response.writeHead(range.kind === 'part' ? 206 : 200, {
      ...headers,
      'content-type': file.contentType,
      'content-length': end - start + 1,
      ...(range.kind === 'part' ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
    });
    if (request.method === 'HEAD' || end < start) {
      response.end();
      return;
    }
    await pipeline(
      handle.createReadStream({ start, end, highWaterMark: READ_BYTES, autoClose: false }),
      response,
    );
  } catch (error) {
    // A browser that seeks disconnects in the middle of a response: that is not an error.
    if (!response.destroyed && !response.headersSent) {
      throw error;
    }
    response.destroy();
  } finally {
    await handle.close();
  }
}
