import { readJpegSize } from './jpeg-size.ts';
import { readWebpOrientation } from './webp-orientation.ts';

/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

export interface DecodedImage {
  /** At the requested size, with EXIF orientation applied. */
  bitmap: ImageBitmap;
  /** Natural size of the file, with the orientation applied. */
  natural: Size;
}

/** Images larger than any panel are scaled down while they are decoded. */
const LARGE_IMAGE_PIXELS = 4096 * 2304;
const JPEG_SCALE_STEPS = 8;
type AffineTransform = [a: number, b: number, c: number, d: number, e: number, f: number];

/** Transforms from the stored to the upright image, both of size 1 × 1, by EXIF orientation. */
const EXIF_TRANSFORMS: Readonly<Record<number, AffineTransform>> = {
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, 1, 1, 0, 0, 0],
  6: [0, 1, -1, 0, 1, 0],
  7: [0, -1, -1, 0, 1, 1],
  8: [0, -1, 1, 0, 0, 1],
};

/**
 * Decodes an image at the size at which it is shown; rejects when it cannot be decoded. The natural size is found
 * by decoding: an `<img>` would keep hundreds of kilobytes per image for ever.
 */
export async function decodeImage(
  blob: Blob,
  bytes: Uint8Array,
  shownSize: (natural: Size) => Size,
): Promise<DecodedImage> {
  const storedSize = readJpegSize(bytes);
  if (storedSize && storedSize.width * storedSize.height > LARGE_IMAGE_PIXELS) {
    const scaledDown = await decodeLargeJpeg(blob, storedSize, shownSize);
    if (scaledDown) {
      return scaledDown;
    }
  }
  const orientation = readWebpOrientation(bytes);
  // Not `from-image`: an engine that supports WebP orientation in future must not apply it twice.
  const imageOrientation = orientation === 1 ? 'from-image' : 'none';
  const fullSize = await createImageBitmap(blob, { imageOrientation });
  try {
    const { width, height } = fullSize;
    const natural = orientation > 4 ? { width: height, height: width } : { width, height };
    return { bitmap: draw(fullSize, shownSize(natural), EXIF_TRANSFORMS[orientation]), natural };
  } finally {
    fullSize.close();
  }
}

/**
 * Decodes at the next larger eighth of the size: at most 150 MB instead of 600 MB for 12,000 x 9,000 pixels. Only
 * JPEG can do that. Null where the engine cannot.
 */
async function decodeLargeJpeg(
  blob: Blob,
  storedSize: Size,
  shownSize: (natural: Size) => Size,
): Promise<DecodedImage | null> {
  if (typeof ImageDecoder === 'undefined') {
    return null;
  }
  // The orientation is unknown before decoding: use a scale that is enough for both.
  const uprightScale = shownSize(storedSize).width / storedSize.width;
  const rotatedScale =
    shownSize({ width: storedSize.height, height: storedSize.width }).width / storedSize.height;
  const scaleStep = Math.min(
    JPEG_SCALE_STEPS,
    Math.ceil(JPEG_SCALE_STEPS * Math.max(uprightScale, rotatedScale)),
  );
  const decoder = new ImageDecoder({
    data: blob.stream(),
    type: 'image/jpeg',
    desiredWidth: Math.ceil((storedSize.width * scaleStep) / JPEG_SCALE_STEPS),
    desiredHeight: Math.ceil((storedSize.height * scaleStep) / JPEG_SCALE_STEPS),
  });
  try {
    const { image } = await decoder.decode();
    const isRotated = image.displayWidth > image.displayHeight !== storedSize.width > storedSize.height;
    const natural = isRotated ? { width: storedSize.height, height: storedSize.width } : storedSize;
    const bitmap = draw(image, shownSize(natural));
    image.close();
    return { bitmap, natural };
  } catch {
    return null;
  } finally {
    decoder.close();
  }
}

/** `transferFromImageBitmap` ignores the orientation that Chromium stores beside the pixels; drawing applies it. */
function draw(
  picture: ImageBitmap | VideoFrame,
  { width, height }: Size,
  transform?: AffineTransform,
): ImageBitmap {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.scale(width, height);
  if (transform) {
    context.transform(...transform);
  }
  context.drawImage(picture, 0, 0, 1, 1);
  return canvas.transferToImageBitmap();
}
