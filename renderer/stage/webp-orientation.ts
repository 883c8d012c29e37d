const EXIF_FLAG = 0x08;
const ANIMATION_FLAG = 0x02;
const ORIENTATION_TAG = 0x0112;
const UPRIGHT = 1;

/**
 * EXIF orientation of a WebP file, 1 to 8; 1 (upright) for everything else. Chromium applies it for JPEG, PNG and
 * AVIF, but not for WebP. An animated WebP is rendered by Chromium's `<img>` and stays as it is.
 */
export function readWebpOrientation(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (ascii(0) !== 'RIFF' || ascii(8) !== 'WEBP' || ascii(12) !== 'VP8X') {
    return UPRIGHT;
  }
  if (((bytes[20] ?? 0) & (EXIF_FLAG | ANIMATION_FLAG)) !== EXIF_FLAG) {
    return UPRIGHT;
  }
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true);
    if (ascii(at) === 'EXIF') {
      return readExifOrientation(bytes.subarray(at + 8, at + 8 + length));
    }
    at += 8 + length + (length % 2);
  }
  return UPRIGHT;
}

/** Reads the first directory of a TIFF; some writers put the `Exif` marker of JPEG files before it. */
function readExifOrientation(exif: Uint8Array): number {
  const hasJpegMarker = String.fromCharCode(...exif.subarray(0, 4)) === 'Exif';
  const tiff = hasJpegMarker ? exif.subarray(6) : exif;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 14) {
    return UPRIGHT;
  }
  const isLittleEndian = tiff[0] === 0x49;
  const directory = view.getUint32(4, isLittleEndian);
  for (let at = directory + 2; at + 12 <= tiff.length; at += 12) {
    if (view.getUint16(at, isLittleEndian) !== ORIENTATION_TAG) {
      continue;
    }
    const orientation = view.getUint16(at + 8, isLittleEndian);
    return orientation >= 1 && orientation <= 8 ? orientation : UPRIGHT;
  }
  return UPRIGHT;
}
