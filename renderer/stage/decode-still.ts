/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Photographs of more pixels than any panel has are made smaller while they are decoded. */
const HUGE_PIXELS = 4096 * 2304;
const EIGHTHS = 8;

/** Width and height with the camera's orientation applied; reads the header, decodes nothing. */
export async function naturalSize(blob: Blob): Promise<Size> {
  const url = URL.createObjectURL(blob);
  // Its address stays: taking it away would leave the parts of a broken picture behind for good.
  const probe = new Image();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.addEventListener('load', () => resolve(), { once: true });
      probe.addEventListener('error', () => reject(new Error('the picture cannot be decoded')), {
        once: true,
      });
      probe.src = url;
    });
    return { width: probe.naturalWidth, height: probe.naturalHeight };
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The picture at this size, standing the way up that the camera noted. Rejects when it does not decode. */
export async function decodeStill(blob: Blob, natural: Size, size: Size): Promise<ImageBitmap> {
  if (natural.width * natural.height > HUGE_PIXELS && (await isJpeg(blob))) {
    const small = await decodeHugeJpeg(blob, natural, size);
    if (small) return small;
  }
  const bitmap = await createImageBitmap(blob, {
    resizeWidth: size.width,
    resizeHeight: size.height,
    resizeQuality: 'high',
  });
  // Chromium notes the orientation beside the pixels of a bitmap, and a bitmap renderer then forgets it.
  const upright = draw(bitmap, size);
  bitmap.close();
  return upright;
}

async function isJpeg(blob: Blob): Promise<boolean> {
  const [first, second, third] = new Uint8Array(await blob.slice(0, 3).arrayBuffer());
  return first === 0xff && second === 0xd8 && third === 0xff;
}

/**
 * Decodes at the next eighth of the size: 150 MB at the most for 12,000 x 9,000 pixels instead of 600. No other
 * format can do that. Null where the engine cannot.
 */
async function decodeHugeJpeg(blob: Blob, natural: Size, size: Size): Promise<ImageBitmap | null> {
  if (typeof ImageDecoder === 'undefined') return null;
  const eighths = Math.min(EIGHTHS, Math.ceil((EIGHTHS * size.width) / natural.width));
  const decoder = new ImageDecoder({
    data: blob.stream(),
    type: 'image/jpeg',
    desiredWidth: Math.ceil((natural.width * eighths) / EIGHTHS),
    desiredHeight: Math.ceil((natural.height * eighths) / EIGHTHS),
  });
  try {
    const { image } = await decoder.decode();
    const small = draw(image, size);
    image.close();
    return small;
  } catch {
    return null;
  } finally {
    decoder.close();
  }
}

function draw(picture: ImageBitmap | VideoFrame, { width, height }: Size): ImageBitmap {
  const drawing = new OffscreenCanvas(width, height);
  const context = drawing.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, width, height);
  return drawing.transferToImageBitmap();
}
