import { open } from 'node:fs/promises';
import sharp from 'sharp';
import { messageOf } from '../../domain/error-facts.ts';
import type { Format } from '../../domain/formats.ts';
import { refused } from './verdict.ts';
import type { TellFacts, Verdict } from './verdict.ts';
import { MAX_PIXELS, tooManyPixels } from './pixels.ts';
import { small } from './small.ts';

export async function inspectImage(path: string, format: Format, tellFacts: TellFacts): Promise<Verdict> {
  try {
    // The head alone, whatever size it claims.
    const head = await sharp(path, { limitInputPixels: false }).metadata();
    const frames = format === 'png' ? await apngFrames(path) : (head.pages ?? 1);
    const tooMany = tooManyPixels(head.width, head.pageHeight ?? head.height, frames);
    if (tooMany) return tooMany;
    const picture = sharp(path, {
      failOn: 'truncated',
      sequentialRead: true,
      limitInputPixels: MAX_PIXELS,
    }).autoOrient();
    const thumbnail = await small(picture);
    const { width, height } = head.autoOrient;
    tellFacts({ format, type: 'image', width, height, durationSeconds: null });
    return { type: 'done', thumbnail: thumbnail.toString('base64'), thumbnailFault: null };
  } catch (error) {
    return refused('undecodable', `The picture cannot be decoded: ${messageOf(error)}`);
  }
}

/** How many frames an animated PNG says it has: in `acTL`, which comes before the first picture. libvips shows one only. */
async function apngFrames(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(12);
    for (let at = 8; ;) {
      const { bytesRead } = await file.read(head, 0, 12, at);
      const type = head.toString('latin1', 4, 8);
      if (bytesRead < 12 || type === 'IDAT') return 1;
      if (type === 'acTL') return Math.max(1, head.readUInt32BE(8));
      at += 12 + head.readUInt32BE(0);
    }
  } finally {
    await file.close();
  }
}
