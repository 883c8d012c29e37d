import { PATTERN_COLOURS, QUADRANTS } from '../pattern.ts';

const [WIDTH, HEIGHT] = [160, 96];
const BLOCK = 8;
/** Categories of the difference between two blocks, each with a code of four bits. */
const CATEGORIES = Array.from({ length: 16 }, (_, i) => i);

/**
 * A grey picture of 12 bits (ITU-T T.81, extended sequential): encoders of today write eight bits only. Each block of
 * 8 × 8 pixels has one brightness.
 */
export function twelveBitJpeg(): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    // Quantization table 0: all ones.
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    // Frame: 12 bits, one component without subsampling.
    segment(0xc1, [12, HEIGHT >> 8, HEIGHT & 255, WIDTH >> 8, WIDTH & 255, 1, 1, 0x11, 0]),
    // Huffman tables: 15 codes of four bits for differences, one code of one bit for "no other coefficients".
    segment(0xc4, [0x00, 0, 0, 0, 15, ...Array.from({ length: 12 }, () => 0), ...CATEGORIES.slice(0, 15)]),
    segment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    encodeBlocks(),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...content]);
}

function encodeBlocks(): Buffer {
  let bits = '';
  let previous = 0;
  for (let y = 0; y < HEIGHT; y += BLOCK) {
    for (let x = 0; x < WIDTH; x += BLOCK) {
      const value = brightnessAt(x, y);
      const difference = value - previous;
      previous = value;
      const category = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
      const offset = difference < 0 ? difference + 2 ** category - 1 : difference;
      bits += category.toString(2).padStart(4, '0');
      bits += category === 0 ? '' : offset.toString(2).padStart(category, '0');
      bits += '0';
    }
  }
  const bytes = (bits + '1'.repeat((8 - (bits.length % 8)) % 8)).match(/.{8}/g) ?? [];
  // A zero follows 0xFF, which would otherwise begin a marker.
  return Buffer.from(bytes.flatMap((byte) => (byte === '11111111' ? [255, 0] : [Number.parseInt(byte, 2)])));
}

/** The coefficient of a block in this place: eight times its mean of 12 bits, around zero. */
function brightnessAt(x: number, y: number): number {
  const [red, green, blue] = PATTERN_COLOURS[QUADRANTS[y * 2 < HEIGHT ? 0 : 1]![x * 2 < WIDTH ? 0 : 1]];
  const grey = 0.299 * red + 0.587 * green + 0.114 * blue;
  return Math.round((grey * 16 - 2048) * BLOCK);
}
