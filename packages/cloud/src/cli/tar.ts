import type { Readable } from 'node:stream';

/** A plain POSIX archive, so that any tar can read a backup. Names up to 100 bytes. */

const BLOCK = 512;
/** From this size on (8.6 GB) eleven octal digits are too few, and the size is a binary number, as GNU tar writes it. */
const BINARY_FROM = 8 ** 11;
/** The size in a header: octal digits, or after this first byte a big-endian number. */
const SIZE = { offset: 124, length: 12, binaryMark: 0x80 };

export interface TarEntry {
  name: string;
  size: number;
}

export function tarHeader({ name, size }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > 100 || size < 0 || !Number.isSafeInteger(size)) {
    throw new RangeError(`cannot be archived: ${name}`);
  }
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  header.write(name, 0, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (size < BINARY_FROM) {
    octal(size, SIZE.offset, SIZE.length);
  } else {
    header[SIZE.offset] = SIZE.binaryMark;
    header.writeBigUInt64BE(BigInt(size), SIZE.offset + SIZE.length - 8);
  }
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
  if (statedChecksum !== actualChecksum) {
    throw new RangeError('this is not a backup');
  }
  const name = text(0, 100);
  const size = parseSize(header.subarray(SIZE.offset, SIZE.offset + SIZE.length));
  if (size === null) {
    throw new RangeError(`the size of ${JSON.stringify(name)} in it is damaged`);
  }
  return { name, size };
}

/** Null when it is damaged, or greater than any file can be. */
function parseSize(field: Buffer): number | null {
  if (field[0] === SIZE.binaryMark) {
    const size = BigInt(`0x${field.toString('hex', 1)}`);
    return size <= Number.MAX_SAFE_INTEGER ? Number(size) : null;
  }
  const digits = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? null : Number.parseInt(digits, 8);
}

/** Reads an archive from a stream; each file must be read to its end before the next one. */
export async function* readTar(
  stream: Readable,
): AsyncGenerator<TarEntry & { bytes: AsyncIterable<Buffer> }> {
  const source: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  const fill = async (): Promise<void> => {
    const { done, value } = await source.next();
    if (done === true) {
      throw new RangeError('the backup is truncated');
    }
    buffered = buffered.length === 0 ? value : Buffer.concat([buffered, value]);
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
