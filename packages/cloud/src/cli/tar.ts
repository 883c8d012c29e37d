import type { Readable } from 'node:stream';

/** A plain POSIX archive, so that any tar can look into a backup. Names up to 100 bytes, files up to 8 GB. */

const BLOCK = 512;
const OCTAL_SIZE_LIMIT = 8 ** 11;

export interface Entry {
  name: string;
  size: number;
}

/** The header of one file. */
export function tarHeader({ name, size }: Entry): Buffer {
  if (Buffer.byteLength(name) > 100 || size >= OCTAL_SIZE_LIMIT)
    throw new RangeError(`cannot be put into the archive: ${name}`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
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

/** What fills the last block of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

function parseHeader(header: Buffer): Entry | null {
  if (header.every((byte) => byte === 0)) return null;
  const text = (at: number, length: number) =>
    header
      .toString('utf8', at, at + length)
      .split('\0')[0]
      ?.trim() ?? '';
  const told = Number.parseInt(text(148, 8), 8);
  const actual = header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
  const size = Number.parseInt(text(124, 12), 8);
  if (told !== actual || !Number.isSafeInteger(size)) throw new RangeError('this is not a backup');
  return { name: text(0, 100), size };
}

/** Reads an archive from a stream, file by file; each file is to be read to its end before the next. */
export async function* readTar(stream: Readable): AsyncGenerator<Entry & { bytes: AsyncIterable<Buffer> }> {
  const source = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const fill = async (): Promise<void> => {
    const { done, value } = await source.next();
    if (done === true) throw new RangeError('the backup ends too early');
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, Buffer.from(value)]);
  };
  const take = async (length: number): Promise<Buffer> => {
    while (held.length < length) await fill();
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  };
  async function* bytesOf(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (held.length === 0) await fill();
      const taken = held.subarray(0, left);
      held = held.subarray(taken.length);
      left -= taken.length;
      yield taken;
    }
    await take(tarPadding(size).length);
  }
  for (;;) {
    const entry = parseHeader(await take(BLOCK));
    if (!entry) return;
    yield { ...entry, bytes: bytesOf(entry.size) };
  }
}
