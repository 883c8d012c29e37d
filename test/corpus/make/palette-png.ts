import { crc32, deflateSync } from 'node:zlib';
import { PATTERN_COLOURS, QUADRANTS } from '../pattern.ts';
import type { PatternSize } from '../pattern.ts';

/** The four quadrants as a PNG of two bits a pixel: a picture of any size in a few kilobytes. */
export function palettePng({ width, height }: PatternSize): Buffer {
  const names = QUADRANTS.flat();
  const rows = QUADRANTS.map((_, half) => {
    // The first byte of a row is its filter: none.
    const row = Buffer.alloc(1 + Math.ceil(width / 4));
    for (let x = 0; x < width; x++) {
      const index = half * 2 + (x * 2 < width ? 0 : 1);
      row[1 + (x >> 2)]! |= index << (6 - 2 * (x % 4));
    }
    return row;
  });
  const lines = Array.from({ length: height }, (_, y) => rows[y * 2 < height ? 0 : 1]!);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Two bits a pixel, of a palette.
  header.set([2, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(names.flatMap((name) => [...PATTERN_COLOURS[name]]))),
    chunk('IDAT', deflateSync(Buffer.concat(lines), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  return Buffer.concat([uint32(content.length), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
