const EXIF_FLAG = 0x08;
const ANIMATION_FLAG = 0x02;
const ORIENTATION_TAG = 0x0112;
const UPRIGHT = 1;

/**
 * How a camera held the picture of a WebP file, 1 to 8 as in EXIF; 1 (upright) for everything else. Chromium turns
 * JPEG, PNG and AVIF by itself, and WebP not. An animation is shown by Chromium alone, so it stays as it is.
 */
export function webpOrientation(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (ascii(0) !== 'RIFF' || ascii(8) !== 'WEBP' || ascii(12) !== 'VP8X') return UPRIGHT;
  if (((bytes[20] ?? 0) & (EXIF_FLAG | ANIMATION_FLAG)) !== EXIF_FLAG) return UPRIGHT;
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true);
    if (ascii(at) === 'EXIF') return exifOrientation(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return UPRIGHT;
}

/** From the first directory of a TIFF, before which some writers leave the mark of JPEG files. */
function exifOrientation(part: Uint8Array): number {
  const marked = String.fromCharCode(...part.subarray(0, 4)) === 'Exif';
  const tiff = marked ? part.subarray(6) : part;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 14) return UPRIGHT;
  const little = tiff[0] === 0x49;
  const directory = view.getUint32(4, little);
  for (let at = directory + 2; at + 12 <= tiff.length; at += 12) {
    if (view.getUint16(at, little) !== ORIENTATION_TAG) continue;
    const noted = view.getUint16(at + 8, little);
    return noted >= 1 && noted <= 8 ? noted : UPRIGHT;
  }
  return UPRIGHT;
}
