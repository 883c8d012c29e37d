import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

/** A PNG of one colour; each `shade` gives different bytes. */
export const png = (shade = 0, width = 64, height = 48): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: shade % 256, g: shade >> 8, b: 90 } } })
    .png()
    .toBuffer();

/** An animation in WebP, of two frames. */
export const animation = async (width: number, height: number): Promise<Buffer> =>
  sharp([await png(1, width, height), await png(200, width, height)], { join: { animated: true } })
    .webp({ delay: [500, 500] })
    .toBuffer();

/** Reads a file of the sample media. */
export const sampleMedia = (name: string): Promise<Buffer> =>
  readFile(join(import.meta.dirname, '../../../../test/media', name));
