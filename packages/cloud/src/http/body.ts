import type { Readable } from 'node:stream';
import { errorCodes } from 'fastify';

/** So much memory a body has from the beginning. */
const FIRST_BYTES = 1024;

interface Bounds {
  mostBytes: number;
  /** Bytes that the head announced; NaN when it did not say. */
  announced: number;
  /** Is told of each part. */
  came: (bytes: number) => void;
}

/**
 * Reads a body into one piece of memory. Each part is copied as it comes: one that is sent byte by byte would take more
 * than a hundred times its size were its parts kept.
 */
export function readBody(payload: Readable, { mostBytes, announced, came }: Bounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (announced > mostBytes) {
      reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      return;
    }
    if (payload.destroyed) {
      reject(new Error('the client left before its body was read'));
      return;
    }
    let held = Buffer.alloc(0);
    let size = 0;
    const stop = (): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
    };
    const onData = (part: Buffer): void => {
      came(part.length);
      const needed = size + part.length;
      if (needed > mostBytes) {
        stop();
        reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
        return;
      }
      if (needed > held.length) {
        const larger = Buffer.alloc(Math.min(mostBytes, Math.max(needed, 2 * held.length, FIRST_BYTES)));
        held.copy(larger, 0, 0, size);
        held = larger;
      }
      part.copy(held, size);
      size = needed;
    };
    const onEnd = (): void => {
      stop();
      if (announced >= 0 && announced !== size) reject(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
      else resolve(held.subarray(0, size));
    };
    const onError = (error: Error): void => {
      stop();
      reject(error);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  });
}
