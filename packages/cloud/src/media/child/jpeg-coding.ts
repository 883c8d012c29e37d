import { open } from 'node:fs/promises';

/** Markers of frames (ITU-T T.81, table B.1): baseline, extended and progressive, which browsers decode. */
const DECODED_FRAMES = [0xc0, 0xc1, 0xc2];
/** Markers in the same range that begin no frame. */
const TABLES = [0xc4, 0xc8, 0xcc];
/** Before the frame are a few dozen segments, such as those of EXIF and of a colour profile. */
const MAX_SEGMENTS = 2000;

/** Why browsers cannot decode a JPEG that libvips may decode, and what to do; null when they can. */
export async function explainJpegCoding(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(5);
    for (let at = 2, segments = 0; segments < MAX_SEGMENTS; segments++) {
      const { bytesRead } = await file.read(head, 0, head.length, at);
      const marker = head[1] ?? 0;
      if (bytesRead < head.length || head[0] !== 0xff) {
        return null;
      }
      if (marker >= 0xc0 && marker <= 0xcf && !TABLES.includes(marker)) {
        return explainFrame(marker, head[4] ?? 0);
      }
      // A marker may follow bytes that fill the space before it.
      at += marker === 0xff ? 1 : 2 + head.readUInt16BE(2);
    }
    return null;
  } finally {
    await file.close();
  }
}

function explainFrame(marker: number, bits: number): string | null {
  if (bits !== 8) {
    return `The JPEG has ${bits} bits per colour, which screens cannot show. Export it as JPEG with 8 bits, or as PNG.`;
  }
  return DECODED_FRAMES.includes(marker)
    ? null
    : 'The JPEG is coded in a rare way (arithmetic or lossless), which screens cannot show. Export it as a usual JPEG, or as PNG.';
}
