import { fileTypeFromFile } from 'file-type';
import { FORMATS } from '../../domain/formats.ts';
import type { Format } from '../../domain/formats.ts';
import { inspectImage } from './image.ts';
import { refused } from './verdict.ts';
import type { TellFacts, Verdict } from './verdict.ts';
import { inspectVideo } from './video.ts';

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

/** Looks at the bytes of a file. */
export async function inspectFile(path: string, tellFacts: TellFacts): Promise<Verdict> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const format = found && FORMAT_OF_MIME[found.mime];
  if (!format)
    return refused(
      'unsupported_format',
      `The file is ${found ? found.mime : 'of an unknown type'}; send JPEG, PNG, WebP, GIF, AVIF, MP4, MOV or WebM.`,
    );
  return FORMATS[format].type === 'image'
    ? inspectImage(path, format, tellFacts)
    : inspectVideo(path, format, tellFacts);
}
