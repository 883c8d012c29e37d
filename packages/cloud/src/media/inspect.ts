import { fileTypeFromFile } from 'file-type';
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';
import type { InputVideoTrack } from 'mediabunny';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { FORMATS } from '../domain/formats.ts';
import type { Format } from '../domain/formats.ts';
import { messageOf } from '../domain/error-facts.ts';
import { posterOf } from './poster.ts';

export interface Inspected {
  format: Format;
  type: 'image' | 'video';
  /** As shown, with rotation applied. */
  width: number;
  height: number;
  /** Seconds of the video track (sound may be longer); null for an image. */
  durationSeconds: number | null;
  /** A small WebP picture; null for a video out of which none can be had. */
  thumbnail: Buffer | null;
}

const FORMAT_OF_MIME: Record<string, Format> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/apng': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/x-m4v': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};
const CODECS: Record<string, readonly string[]> = {
  mp4: ['avc', 'hevc', 'av1'],
  mov: ['avc', 'hevc', 'av1'],
  webm: ['vp8', 'vp9', 'av1'],
};
const THUMBNAIL_PIXELS = 480;
/** The part of a video after which its poster is taken: the first picture is often black. */
const POSTER_AT = 0.1;

// libvips keeps decoded pictures and worker threads otherwise; uploads are rare and memory is not.
sharp.cache(false);
sharp.concurrency(1);

/** Looks at the bytes of a file. Answers with a sentence when no screen can show it. */
export async function inspectFile(path: string): Promise<Inspected | string> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const format = found && FORMAT_OF_MIME[found.mime];
  if (!format)
    return `The file is ${found ? found.mime : 'of an unknown type'}; send JPEG, PNG, WebP, GIF, AVIF, MP4, MOV or WebM.`;
  return FORMATS[format].type === 'image' ? inspectImage(path, format) : inspectVideo(path, format);
}

async function inspectImage(path: string, format: Format): Promise<Inspected | string> {
  try {
    const picture = sharp(path, { failOn: 'truncated', sequentialRead: true });
    const { autoOrient } = await picture.metadata();
    const thumbnail = await small(picture.autoOrient());
    const { width, height } = autoOrient;
    return { format, type: 'image', width, height, durationSeconds: null, thumbnail };
  } catch (error) {
    return `The picture cannot be decoded: ${messageOf(error)}`;
  }
}

const small = (picture: Sharp): Promise<Buffer> =>
  picture
    .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer();

/** A video is as good without its small picture. */
async function posterThumbnail(track: InputVideoTrack, atSeconds: number): Promise<Buffer | null> {
  try {
    const poster = await posterOf(track, atSeconds);
    return poster && (await small(sharp(poster).rotate(await track.getRotation())));
  } catch {
    return null;
  }
}

async function inspectVideo(path: string, format: Format): Promise<Inspected | string> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) return 'The file has no video track.';
    const codec = await track.getCodec();
    if (codec === null || !CODECS[format]?.includes(codec))
      return `The video is coded as ${codec ?? 'something unknown'}; send H.264, HEVC or AV1 in MP4, or VP8, VP9 or AV1 in WebM.`;
    const [width, height, durationSeconds] = [
      await track.getDisplayWidth(),
      await track.getDisplayHeight(),
      await track.computeDuration(),
    ];
    if (!(width > 0 && height > 0 && durationSeconds > 0)) return 'The video has no picture.';
    // Containers keep thousandths at best; what is beyond is rounding noise.
    const thumbnail = await posterThumbnail(track, durationSeconds * POSTER_AT);
    const rounded = Math.round(durationSeconds * 1000) / 1000;
    return { format, type: 'video', width, height, durationSeconds: rounded, thumbnail };
  } catch (error) {
    return `The video cannot be read: ${messageOf(error)}`;
  } finally {
    input.dispose();
  }
}
