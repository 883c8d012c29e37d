import { readFile, stat } from 'node:fs/promises';
import { isAnimated } from '@placard/protocol/animation';
import sharp from 'sharp';
import { STILL_PIXELS } from '../../domain/rendition-sizes.ts';
import { MAX_PIXELS } from '../child/pixels.ts';
import type { RenditionOrder, RenditionReport } from '../rendition-messages.ts';

const QUALITY = 90;
/** Animations are smaller: they would not be accepted. */
const MAX_ANIMATION_BYTES = 100_000_000;

/** A picture that is no larger than a screen: JPEG, and WebP when parts of it are transparent. */
export async function makeStill({ from, to }: RenditionOrder): Promise<RenditionReport> {
  const picture = sharp(from, { failOn: 'truncated', limitInputPixels: MAX_PIXELS });
  const { hasAlpha } = await picture.metadata();
  if ((await stat(from)).size <= MAX_ANIMATION_BYTES && isAnimated(await readFile(from))) {
    return { type: 'failed', reason: 'animated', message: 'An animation stays as it is.' };
  }
  const scaled = picture
    .autoOrient()
    .resize(STILL_PIXELS, STILL_PIXELS, { fit: 'inside', withoutEnlargement: true });
  await (hasAlpha ? scaled.webp({ quality: QUALITY }) : scaled.jpeg({ quality: QUALITY })).toFile(to);
  return { type: 'made' };
}
