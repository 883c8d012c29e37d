import sharp from 'sharp';
import type { PictureMeasures } from '../../domain/picture-series.ts';

/** More than a screenshot has. */
const MAX_PIXELS = 4_000_000;
/** The picture is scaled to so many blocks, and each of them to so many pixels a side. */
const [COLUMNS, ROWS, BLOCK] = [9, 8, 8];
const WIDTH = COLUMNS * BLOCK;
/** A pixel that is nearly black. */
const DARK = 16;
/** By how much a block is brighter than the one beside it, so that the noise of an even area is no difference. */
const BRIGHTER = 1;

/** Measures what a picture looks like; throws when it cannot be decoded. */
export async function measurePicture(path: string): Promise<PictureMeasures> {
  const pixels = await sharp(path, {
    // What is damaged says nothing.
    failOn: 'warning',
    sequentialRead: true,
    limitInputPixels: MAX_PIXELS,
  })
    .resize(WIDTH, ROWS * BLOCK, { fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const blocks = Array.from({ length: COLUMNS * ROWS }, () => 0);
  let dark = 0;
  for (const [index, value] of pixels.entries()) {
    const row = Math.floor(index / WIDTH / BLOCK);
    const column = Math.floor((index % WIDTH) / BLOCK);
    blocks[row * COLUMNS + column]! += value / BLOCK ** 2;
    dark += value < DARK ? 1 : 0;
  }
  let bits = '';
  for (const [index, block] of blocks.entries()) {
    const isLast = index % COLUMNS === COLUMNS - 1;
    bits += isLast ? '' : block - blocks[index + 1]! > BRIGHTER ? '1' : '0';
  }
  return {
    luminance: blocks.reduce((sum, block) => sum + block, 0) / blocks.length,
    dark: dark / pixels.length,
    hash: BigInt(`0b${bits}`).toString(16).padStart(16, '0'),
  };
}
