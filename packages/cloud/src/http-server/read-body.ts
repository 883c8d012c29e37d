import type { Readable } from 'node:stream';
import { errorCodes } from 'fastify';

const INITIAL_BYTES = 1024;
const EMPTY = Buffer.alloc(0);

interface BodyLimits {
  maxBytes: number;
  /** Value of the content-length header; NaN without one. */
  contentLength: number;
  /** Called for each chunk. */
  onBytes: (bytes: number) => void;
}

/**
 * Reads a body into one buffer. A small one is nearly always one chunk, which is returned as it is. Otherwise chunks are
 * copied as they arrive: keeping the chunks of a body that is sent byte by byte would take over a hundred times its size.
 */
export function readBody(
  payload: Readable,
  { maxBytes, contentLength, onBytes }: BodyLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (contentLength > maxBytes) {
      reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      return;
    }
    if (payload.destroyed) {
      reject(new Error('the client disconnected before its body was read'));
      return;
    }
    let buffer: Buffer = EMPTY;
    let size = 0;
    const stop = (): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
    };
    const onData = (part: Buffer): void => {
      onBytes(part.length);
      const needed = size + part.length;
      if (needed > maxBytes) {
        stop();
        reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
        return;
      }
      if (size === 0 && part.length === contentLength) {
        buffer = part;
        size = needed;
        return;
      }
      if (needed > buffer.length) {
        const grown = Buffer.alloc(Math.min(maxBytes, Math.max(needed, 2 * buffer.length, INITIAL_BYTES)));
        buffer.copy(grown, 0, 0, size);
        buffer = grown;
      }
      part.copy(buffer, size);
      size = needed;
    };
    const onEnd = (): void => {
      const body = size === buffer.length ? buffer : buffer.subarray(0, size);
      // The listeners stay with the request until it is answered.
      buffer = EMPTY;
      if (contentLength >= 0 && contentLength !== size) {
        reject(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
      } else {
        resolve(body);
      }
    };
    const onError = (error: Error): void => {
      stop();
      reject(error);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  });
}
