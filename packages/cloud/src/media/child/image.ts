import { open, readFile, stat } from 'node:fs/promises';
import { isAnimated, isTruncated } from '@placard/protocol/animation';
import sharp from 'sharp';
import { errorMessage } from '../../domain/error-details.ts';
import type { MediaFormat } from '../../domain/media-formats.ts';
import { readAvifSequence } from './avif-sequence.ts';
import { rejectFile } from './inspection-result.ts';
import type { ReportInfo, InspectionResult } from './inspection-result.ts';
import { explainJpegCoding } from './jpeg-coding.ts';
import { MAX_PIXELS, rejectTooManyPixels } from './pixels.ts';
import { makeThumbnail } from './thumbnail.ts';

/** Animations are read into memory at once; larger ones are rare. */
const MAX_ANIMATION_BYTES = 100_000_000;

export async function inspectImage(
  path: string,
  format: MediaFormat,
  reportInfo: ReportInfo,
): Promise<InspectionResult> {
  try {
    const problem = format === 'jpeg' ? await explainJpegCoding(path) : null;
    if (problem) {
      return rejectFile('undecodable', problem);
    }
    const bytes = await readPossibleAnimation(path, format);
    if (bytes && isAnimated(bytes) && isTruncated(bytes)) {
      return rejectFile(
        'undecodable',
        'The animation is incomplete: its end is missing. Copy or export it again.',
      );
    }
    const sequence = bytes && readAvifSequence(bytes);
    const file = sequence?.still ?? path;
    // Reads only the header, whatever size it claims.
    const head = await sharp(file, { limitInputPixels: false }).metadata();
    const frames = format === 'png' ? await countApngFrames(path) : (sequence?.frames ?? head.pages ?? 1);
    const tooMany = rejectTooManyPixels(head.width, head.pageHeight ?? head.height, frames);
    if (tooMany) {
      return tooMany;
    }
    const picture = sharp(file, {
      failOn: 'truncated',
      sequentialRead: true,
      limitInputPixels: MAX_PIXELS,
    }).autoOrient();
    const thumbnail = await makeThumbnail(picture);
    const { width, height } = head.autoOrient;
    reportInfo({ format, type: 'image', width, height, durationSeconds: null, codec: null, frameRate: null });
    return { type: 'done', thumbnail: thumbnail.toString('base64'), thumbnailFault: null };
  } catch (error) {
    return rejectFile(
      'undecodable',
      `The picture is incomplete or damaged. Copy it again, or export it as JPEG or PNG. (${errorMessage(error)})`,
    );
  }
}

/** The bytes of a picture that may have several frames, of which sharp decodes one; null for any other. */
async function readPossibleAnimation(path: string, format: MediaFormat): Promise<Buffer | null> {
  const isPossible = format !== 'jpeg' && (await stat(path)).size <= MAX_ANIMATION_BYTES;
  return isPossible ? readFile(path) : null;
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
