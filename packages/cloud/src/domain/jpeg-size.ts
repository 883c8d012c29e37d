/** Markers that begin the data of a picture with its size: `SOF0` to `SOF15`, without those that are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const START_OF_SCAN = 0xda;

/** Width and height in pixels as the header of a JPEG file says; null if it does not. Reads the header alone. */
export function jpegSize(bytes: Buffer): { width: number; height: number } | null {
  let at = 2;
  // A segment: marker, length including itself, data.
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (isFrame(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    if (marker === START_OF_SCAN) {
      return null;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
