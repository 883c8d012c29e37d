import { readFile, stat } from 'node:fs/promises';
import { isAnimated } from '@placard/protocol/animation';
import sharp from 'sharp';
import { STILL_PIXELS } from '../../domain/rendition-sizes.ts';
import { MAX_PIXELS } from '../child/pixels.ts';
import type { RenditionOrder, RenditionReport } from '../rendition-messages.ts';

const QUALITY = 90;
/** Of a larger file it is not known whether it is an animation. */
const MAX_READ_BYTES = 100_000_000;

/** A picture that is no larger than a screen: JPEG, and WebP when parts of it are transparent. */
export async function makeStill({ from, to }: RenditionOrder): Promise<RenditionReport> {
  const picture = sharp(from, { failOn: 'truncated', limitInputPixels: MAX_PIXELS });
  const { hasAlpha, format } = await picture.metadata();
  if (format !== 'jpeg' && (await mayMove(from))) {
    return { type: 'failed', reason: 'animated', message: 'An animation stays as it is.' };
  }
  const scaled = picture
    .autoOrient()
    .resize(STILL_PIXELS, STILL_PIXELS, { fit: 'inside', withoutEnlargement: true });
  await (hasAlpha ? scaled.webp({ quality: QUALITY }) : scaled.jpeg({ quality: QUALITY })).toFile(to);
  return { type: 'made' };
}

const mayMove = async (path: string): Promise<boolean> =>
  (await stat(path)).size > MAX_READ_BYTES || isAnimated(await readFile(path));
