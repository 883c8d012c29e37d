import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoredPart, UploadWriter } from '../../blob/upload-files.ts';
import { freeMemory } from '../../blob/staging.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import type { UploadChecksum } from '../../domain/upload-checksum.ts';

/** Bytes that are written together; as much memory is used for each request. */
const WRITE_BYTES = 1_048_576;
/** After as many bytes they are recorded: a crash loses no more. */
const RECORD_BYTES = 8 * 1_048_576;

export interface ReceivedBytes {
  writer: UploadWriter;
  /** Where they begin. */
  offset: number;
  /** Bytes of the whole file. */
  size: number;
  /** Of all bytes of this request. */
  checksum: UploadChecksum | null;
  /** Moves the offset of the upload; throws if that is another than `from`. */
  record: (from: number, to: number, parts: readonly StoredPart[]) => Promise<void>;
}

/**
 * Stores the bytes of a request and returns the new offset. When the connection breaks, what has arrived is stored, and the
 * error of the connection is thrown. With a checksum all is stored, or nothing.
 */
export async function receiveBytes(
  source: Readable,
  { writer, offset, size, checksum, record }: ReceivedBytes,
): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
  const hash = checksum && createHash(checksum.algorithm);
  let filled = 0;
  let written = offset;
  let recorded = offset;

  const write = async (): Promise<void> => {
    const bytes = buffer.subarray(0, filled);
    await writer.write(bytes);
    hash?.update(bytes);
    written += filled;
    filled = 0;
  };
  const flush = async (): Promise<void> => {
    if (written > recorded) {
      await writer.flush((parts) => record(recorded, written, parts));
      recorded = written;
    }
  };
  const take = async (chunk: Buffer): Promise<void> => {
    if (written + filled + chunk.length > size) {
      throw validationError([{ path: '', message: `has more bytes than are missing of ${size}` }]);
    }
    for (let taken = 0; taken < chunk.length;) {
      const copied = chunk.copy(buffer, filled, taken);
      taken += copied;
      filled += copied;
      if (filled === WRITE_BYTES) {
        await write();
      }
    }
    freeMemory(chunk);
    if (!hash && written - recorded >= RECORD_BYTES) {
      await flush();
    }
  };

  const chunks = chunksOf(source);
  let broken: { error: unknown } | null = null;
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => void (broken = { error }));
    if (!next || next.done === true) {
      break;
    }
    await take(next.value);
  }
  await write();
  if (hash && checksum) {
    const isComplete = broken === null;
    if (!isComplete || hash.digest('base64') !== checksum.digest) {
      await writer.discard();
      throw broken ? brokenError(broken) : checksumError();
    }
  }
  await flush();
  if (broken !== null) {
    throw brokenError(broken);
  }
  return recorded;
}

/** Whether a body ends without a byte. */
export async function isEmpty(source: Readable): Promise<boolean> {
  return (await chunksOf(source).next()).done === true;
}

/** An iterator that ends early would destroy the connection, over which an error is to be sent. */
const chunksOf = (source: Readable): AsyncIterator<Buffer> =>
  source.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();

const brokenError = ({ error }: { error: unknown }): unknown => error;

const checksumError = () =>
  new ApiError(
    'CHECKSUM_MISMATCH',
    'The bytes are not those that Upload-Checksum is of, so none were stored. Send them again.',
  );
