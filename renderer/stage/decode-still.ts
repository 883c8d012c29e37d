import { jpegSize } from './image-kind.ts';
import { webpOrientation } from './webp-orientation.ts';

/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

export interface DecodedStill {
  /** Of the size that was asked for, standing the way up that the camera noted. */
  bitmap: ImageBitmap;
  /** Of the file, the same way up. */
  natural: Size;
}

/** Photographs of more pixels than any panel has are made smaller while they are decoded. */
const HUGE_PIXELS = 4096 * 2304;
const EIGHTHS = 8;
type Turn = [a: number, b: number, c: number, d: number, e: number, f: number];

/** From the picture as it is stored to the one that stands upright, both of one by one; by EXIF's numbers. */
const TURNS: Readonly<Record<number, Turn>> = {
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, 1, 1, 0, 0, 0],
  6: [0, 1, -1, 0, 1, 0],
  7: [0, -1, -1, 0, 1, 1],
  8: [0, -1, 1, 0, 0, 1],
};

/**
 * The picture at the size at which it is shown. Rejects when it does not decode. The size of the file is found
 * out by decoding it: an `<img>` that is asked instead keeps hundreds of kilobytes of each picture for ever.
 */
export async function decodeStill(
  blob: Blob,
  bytes: Uint8Array,
  shownSize: (natural: Size) => Size,
): Promise<DecodedStill> {
  const stored = jpegSize(bytes);
  if (stored && stored.width * stored.height > HUGE_PIXELS) {
    const small = await decodeHugeJpeg(blob, stored, shownSize);
    if (small) return small;
  }
  const orientation = webpOrientation(bytes);
  // An engine that learns to turn WebP must not turn it twice.
  const imageOrientation = orientation === 1 ? 'from-image' : 'none';
  const whole = await createImageBitmap(blob, { imageOrientation });
  try {
    const { width, height } = whole;
    const natural = orientation > 4 ? { width: height, height: width } : { width, height };
    return { bitmap: draw(whole, shownSize(natural), TURNS[orientation]), natural };
  } finally {
    whole.close();
  }
}

/**
 * Decodes at the next eighth of the size: 150 MB at the most for 12,000 x 9,000 pixels instead of 600. No other
 * format can do that. Null where the engine cannot.
 */
async function decodeHugeJpeg(
  blob: Blob,
  stored: Size,
  shownSize: (natural: Size) => Size,
): Promise<DecodedStill | null> {
  if (typeof ImageDecoder === 'undefined') return null;
  // Which way up it stands is not known before it is decoded: enough for both.
  const upright = shownSize(stored).width / stored.width;
  const turned = shownSize({ width: stored.height, height: stored.width }).width / stored.height;
  const eighths = Math.min(EIGHTHS, Math.ceil(EIGHTHS * Math.max(upright, turned)));
  const decoder = new ImageDecoder({
    data: blob.stream(),
    type: 'image/jpeg',
    desiredWidth: Math.ceil((stored.width * eighths) / EIGHTHS),
    desiredHeight: Math.ceil((stored.height * eighths) / EIGHTHS),
  });
  try {
    const { image } = await decoder.decode();
    const lies = image.displayWidth > image.displayHeight !== stored.width > stored.height;
    const natural = lies ? { width: stored.height, height: stored.width } : stored;
    const bitmap = draw(image, shownSize(natural));
    image.close();
    return { bitmap, natural };
  } catch {
    return null;
  } finally {
    decoder.close();
  }
}

/** A bitmap renderer forgets the orientation that Chromium notes beside the pixels; drawing works it in. */
function draw(picture: ImageBitmap | VideoFrame, { width, height }: Size, turn?: Turn): ImageBitmap {
  const drawing = new OffscreenCanvas(width, height);
  const context = drawing.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.scale(width, height);
  if (turn) context.transform(...turn);
  context.drawImage(picture, 0, 0, 1, 1);
  return drawing.transferToImageBitmap();
}
