/** What the page and the cloud both have to know of an animated image, from its bytes. */

const ascii = (bytes: Uint8Array, start: number, length: number) =>
  String.fromCharCode(...bytes.subarray(start, start + length));

/**
 * True for an animated GIF, WebP, PNG or AVIF. Those are shown by an `<img>`; still images are drawn from a bitmap
 * of panel size, which saves hundreds of megabytes of decode cache.
 */
export function isAnimated(bytes: Uint8Array): boolean {
  if (ascii(bytes, 0, 4) === 'GIF8') {
    return scanGif(bytes).frames > 1;
  }
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') {
    const ANIMATION_FLAG = 0x02;
    return ascii(bytes, 12, 4) === 'VP8X' && ((bytes[20] ?? 0) & ANIMATION_FLAG) !== 0;
  }
  if (ascii(bytes, 1, 3) === 'PNG') {
    return isAnimatedPng(bytes);
  }
  return ascii(bytes, 4, 8) === 'ftypavis';
}

/** Size in bytes of the colour table that these flags declare. */
function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/**
 * True when an animated image is truncated. Engines loop the part that they have and report no error. A GIF or PNG
 * may lack its end marker: every engine plays it all the same.
 */
export function isTruncated(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (ascii(bytes, 0, 4) === 'GIF8') {
    return scanGif(bytes).endsAt > bytes.length;
  }
  if (ascii(bytes, 0, 4) === 'RIFF') {
    return view.getUint32(4, true) + 8 > bytes.length;
  }
  const isPng = ascii(bytes, 1, 3) === 'PNG';
  return (isPng ? findPngEnd(view) : findAvifEnd(view)) > bytes.length;
}

/** Where the chunks of a PNG end by their lengths, at the latest after IEND. */
function findPngEnd(view: DataView): number {
  const LAST_CHUNK = 0x49454e44;
  let at = 8;
  while (at + 8 <= view.byteLength) {
    const isLast = view.getUint32(at + 4) === LAST_CHUNK;
    at += view.getUint32(at) + 12;
    if (isLast) {
      break;
    }
  }
  return at;
}

/** Where the boxes of an AVIF end; a box that extends to the end of the file has no length. */
function findAvifEnd(view: DataView): number {
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const length = view.getUint32(at);
    if (length < 8) {
      break;
    }
    at += length;
  }
  return at;
}

/** Walks the blocks of a GIF; `endsAt` is beyond the bytes when the last block is truncated. */
function scanGif(bytes: Uint8Array): { frames: number; endsAt: number } {
  let at = 13 + colourTableBytes(bytes[10] ?? 0);
  let frames = 0;
  const skipSubBlocks = () => {
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) {
      at += size + 1;
    }
    at += 1;
  };
  while (at < bytes.length) {
    const block = bytes[at];
    if (block === 0x21) {
      at += 2;
      skipSubBlocks();
    } else if (block === 0x2c) {
      frames += 1;
      at += 10 + colourTableBytes(bytes[at + 9] ?? 0) + 1;
      skipSubBlocks();
    } else {
      break;
    }
  }
  return { frames, endsAt: at };
}

/** An animated PNG has an `acTL` chunk before its picture data. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= bytes.length; at += view.getUint32(at) + 12) {
    const chunk = ascii(bytes, at + 4, 4);
    if (chunk === 'acTL') {
      return true;
    }
    if (chunk === 'IDAT') {
      return false;
    }
  }
  return false;
}
