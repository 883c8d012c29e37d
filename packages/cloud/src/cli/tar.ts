import type { Readable } from 'node:stream';

/** A plain POSIX archive, so that any tar can read a backup. Names up to 100 bytes, files up to 8 GB. */

const BLOCK = 512;
/** A file in an archive is smaller. */
export const TAR_FILE_LIMIT = 8 ** 11;

export interface TarEntry {
  name: string;
  size: number;
}

export function tarHeader({ name, size }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > 100 || size >= TAR_FILE_LIMIT) {
    throw new RangeError(`cannot be archived: ${name}`);
  }
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  header.write(name, 0, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write('        ', 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** Padding of the last block of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
export const TAR_END = Buffer.alloc(2 * BLOCK);

function parseHeader(header: Buffer): TarEntry | null {
  if (header.every((byte) => byte === 0)) {
    return null;
  }
  const text = (offset: number, length: number) =>
    header
      .toString('utf8', offset, offset + length)
      .split('\0')[0]
      ?.trim() ?? '';
  const statedChecksum = Number.parseInt(text(148, 8), 8);
  const actualChecksum = header.reduce(
    (sum, byte, offset) => sum + (offset >= 148 && offset < 156 ? 32 : byte),
    0,
  );
  const size = Number.parseInt(text(124, 12), 8);
  if (statedChecksum !== actualChecksum || !Number.isSafeInteger(size)) {
    throw new RangeError('this is not a backup');
  }
  return { name: text(0, 100), size };
}

/** Reads an archive from a stream; each file must be read to its end before the next one. */
export async function* readTar(
  stream: Readable,
): AsyncGenerator<TarEntry & { bytes: AsyncIterable<Buffer> }> {
  const source = stream[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  const fill = async (): Promise<void> => {
    const { done, value } = await source.next();
    if (done === true) {
      throw new RangeError('the backup is truncated');
    }
    buffered = buffered.length === 0 ? Buffer.from(value) : Buffer.concat([buffered, Buffer.from(value)]);
  };
  const readExactly = async (length: number): Promise<Buffer> => {
    while (buffered.length < length) {
      await fill();
    }
    const chunk = buffered.subarray(0, length);
    buffered = buffered.subarray(length);
    return chunk;
  };
  async function* readEntry(size: number): AsyncGenerator<Buffer> {
    for (let remaining = size; remaining > 0;) {
      if (buffered.length === 0) {
        await fill();
      }
      const chunk = buffered.subarray(0, remaining);
      buffered = buffered.subarray(chunk.length);
      remaining -= chunk.length;
      yield chunk;
    }
    await readExactly(tarPadding(size).length);
  }
  for (;;) {
    const entry = parseHeader(await readExactly(BLOCK));
    if (!entry) {
      return;
    }
    yield { ...entry, bytes: readEntry(entry.size) };
  }
}
