const ascii = (bytes: Uint8Array, start: number, length: number) =>
  String.fromCharCode(...bytes.subarray(start, start + length));

/**
 * True when the bytes are an animated GIF, WebP, PNG or AVIF. Those are shown by an `<img>`; everything that
 * stands still goes through a bitmap of panel size, which spares hundreds of megabytes of decode cache.
 */
export function isAnimated(bytes: Uint8Array): boolean {
  if (ascii(bytes, 0, 4) === 'GIF8') return walkGif(bytes).pictures > 1;
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') {
    const ANIMATION_FLAG = 0x02;
    return ascii(bytes, 12, 4) === 'VP8X' && ((bytes[20] ?? 0) & ANIMATION_FLAG) !== 0;
  }
  if (ascii(bytes, 1, 3) === 'PNG') return pngHasAnimation(bytes);
  return ascii(bytes, 4, 8) === 'ftypavis';
}

/** Bytes of the colour table that these flags announce. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/**
 * True when bytes are missing at the end of an animated picture. An engine shows as much of it as it has, again and
 * again, and calls that no error. A GIF or PNG may lack its last mark: every engine plays it all the same.
 */
export function isCutShort(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (ascii(bytes, 0, 4) === 'GIF8') return walkGif(bytes).endsAt > bytes.length;
  if (ascii(bytes, 0, 4) === 'RIFF') return view.getUint32(4, true) + 8 > bytes.length;
  const isPng = ascii(bytes, 1, 3) === 'PNG';
  return (isPng ? chunksEndAt(view) : boxesEndAt(view)) > bytes.length;
}

/** Where the chunks of a PNG end by their own lengths, at the latest with its last mark. */
function chunksEndAt(view: DataView): number {
  const LAST_CHUNK = 0x49454e44;
  let at = 8;
  while (at + 8 <= view.byteLength) {
    const isLast = view.getUint32(at + 4) === LAST_CHUNK;
    at += view.getUint32(at) + 12;
    if (isLast) break;
  }
  return at;
}

/** Where the boxes of an AVIF end; one that reaches to the end of the file says no length. */
function boxesEndAt(view: DataView): number {
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const length = view.getUint32(at);
    if (length < 8) break;
    at += length;
  }
  return at;
}

/** Walks the blocks of a GIF; `endsAt` lies beyond the bytes when the last block does. */
function walkGif(bytes: Uint8Array): { pictures: number; endsAt: number } {
  let at = 13 + tableBytes(bytes[10] ?? 0);
  let pictures = 0;
  const skipSubBlocks = () => {
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
    at += 1;
  };
  while (at < bytes.length) {
    const block = bytes[at];
    if (block === 0x21) {
      at += 2;
      skipSubBlocks();
    } else if (block === 0x2c) {
      pictures += 1;
      at += 10 + tableBytes(bytes[at + 9] ?? 0) + 1;
      skipSubBlocks();
    } else {
      break;
    }
  }
  return { pictures, endsAt: at };
}

/** An animated PNG has an `acTL` chunk before its picture data. */
function pngHasAnimation(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= bytes.length; at += view.getUint32(at) + 12) {
    const chunk = ascii(bytes, at + 4, 4);
    if (chunk === 'acTL') return true;
    if (chunk === 'IDAT') return false;
  }
  return false;
}

/** Pixels of a JPEG as they are stored, from its frame header; null when the bytes are none or hold no header. */
export function jpegSize(bytes: Uint8Array): { width: number; height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const START_OF_IMAGE = 0xffd8;
  const NOT_FRAMES = [0xffc4, 0xffc8, 0xffcc];
  if (bytes.length < 4 || view.getUint16(0) !== START_OF_IMAGE) return null;
  for (let at = 2; at + 9 <= bytes.length; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) return null;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && !NOT_FRAMES.includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return null;
}
