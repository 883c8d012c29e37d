import type { WideFrame } from '../colours/tone-map.ts';

/** Writes a frame in the matrix of BT.601 in that of BT.709, with 8 bits in limited range; colours stay the same. */
export function changeMatrix(frame: WideFrame): Uint8ClampedArray<ArrayBuffer> {
  const { width, height, fullRange, depth, halfColumns, halfRows, planes } = frame;
  const [brightness, blues, reds] = planes;
  const unit = 2 ** (depth - 8);
  const black = fullRange ? 0 : 16;
  const [lumaScale, chromaScale] = fullRange ? [219 / 255, 224 / 255] : [1, 1];
  const made = new Uint8ClampedArray((width * height * 3) / 2);
  let nextBlue = width * height;
  let nextRed = nextBlue + (width * height) / 4;
  for (let top = 0; top < height; top += 2) {
    for (let left = 0; left < width; left += 2) {
      const chromaAt = (top >> halfRows) * blues.stride + (left >> halfColumns);
      const cb = (blues.values[chromaAt]! / unit - 128) * chromaScale;
      const cr = (reds.values[chromaAt]! / unit - 128) * chromaScale;
      const change = (-0.118188 * cb - 0.212685 * cr) * (219 / 224);
      for (let pixel = 0; pixel < 4; pixel++) {
        const x = left + (pixel & 1);
        const y = top + (pixel >> 1);
        const luma = brightness.values[y * brightness.stride + x]! / unit - black;
        made[y * width + x] = 16 + luma * lumaScale + change;
      }
      made[nextBlue++] = 128 + 1.018639 * cb + 0.114618 * cr;
      made[nextRed++] = 128 + 0.075049 * cb + 1.025327 * cr;
    }
  }
  return made;
}
