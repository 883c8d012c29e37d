/** Red, green and blue of each pixel of a frame in I420 with 8 bits in BT.709, limited range. */
export function toRgb(
  frame: Uint8ClampedArray,
  { width, height }: { width: number; height: number },
): Uint8ClampedArray<ArrayBuffer> {
  const pixels = width * height;
  const rgb = new Uint8ClampedArray(3 * pixels);
  for (let at = 0; at < pixels; at++) {
    const x = at % width;
    const y = (at - x) / width;
    const blueAt = pixels + (y >> 1) * (width / 2) + (x >> 1);
    const luma = (frame[at]! - 16) / 219;
    const cb = (frame[blueAt]! - 128) / 224;
    const cr = (frame[blueAt + pixels / 4]! - 128) / 224;
    rgb[3 * at] = 255 * (luma + 1.5748 * cr);
    rgb[3 * at + 1] = 255 * (luma - 0.18732 * cb - 0.46812 * cr);
    rgb[3 * at + 2] = 255 * (luma + 1.8556 * cb);
  }
  return rgb;
}
