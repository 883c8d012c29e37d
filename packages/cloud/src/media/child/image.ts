import { open } from 'node:fs/promises';
import sharp from 'sharp';
import { errorMessage } from '../../domain/error-details.ts';
import type { MediaFormat } from '../../domain/media-formats.ts';
import { rejectFile } from './inspection-result.ts';
import type { ReportInfo, InspectionResult } from './inspection-result.ts';
import { MAX_PIXELS, rejectTooManyPixels } from './pixels.ts';
import { makeThumbnail } from './thumbnail.ts';

export async function inspectImage(
  path: string,
  format: MediaFormat,
  reportInfo: ReportInfo,
): Promise<InspectionResult> {
  try {
    // Reads only the header, whatever size it claims.
    const head = await sharp(path, { limitInputPixels: false }).metadata();
    const frames = format === 'png' ? await countApngFrames(path) : (head.pages ?? 1);
    const tooMany = rejectTooManyPixels(head.width, head.pageHeight ?? head.height, frames);
    if (tooMany) {
      return tooMany;
    }
    const picture = sharp(path, {
      failOn: 'truncated',
      sequentialRead: true,
      limitInputPixels: MAX_PIXELS,
    }).autoOrient();
    const thumbnail = await makeThumbnail(picture);
    const { width, height } = head.autoOrient;
    reportInfo({ format, type: 'image', width, height, durationSeconds: null, codec: null, frameRate: null });
    return { type: 'done', thumbnail: thumbnail.toString('base64'), thumbnailFault: null };
  } catch (error) {
    return rejectFile('undecodable', `The picture cannot be decoded: ${errorMessage(error)}`);
  }
}

/**
 * Number of frames that an animated PNG declares in `acTL`, which precedes the first frame. libvips reports only one.
 */
async function countApngFrames(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(12);
    for (let offset = 8; ;) {
      const { bytesRead } = await file.read(head, 0, 12, offset);
      const type = head.toString('latin1', 4, 8);
      if (bytesRead < 12 || type === 'IDAT') {
        return 1;
      }
      if (type === 'acTL') {
        return Math.max(1, head.readUInt32BE(8));
      }
      offset += 12 + head.readUInt32BE(0);
    }
  } finally {
    await file.close();
  }
}
