import { fileTypeFromFile } from 'file-type';
import { MEDIA_FORMATS } from '../../domain/media-formats.ts';
import type { MediaFormat } from '../../domain/media-formats.ts';
import { inspectImage } from './image.ts';
import { rejectFile } from './inspection-result.ts';
import type { ReportInfo, InspectionResult } from './inspection-result.ts';
import { inspectVideo } from './video.ts';

const FORMAT_OF_MIME: Record<string, MediaFormat> = {
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

/** Detects the format of a file and inspects it. */
export async function inspectFile(path: string, reportInfo: ReportInfo): Promise<InspectionResult> {
  const fileType = await fileTypeFromFile(path).catch(() => undefined);
  const format = fileType && FORMAT_OF_MIME[fileType.mime];
  if (!format) {
    return rejectFile(
      'unsupported_format',
      `The file is ${fileType ? fileType.mime : 'of an unknown type'}; send JPEG, PNG, WebP, GIF, AVIF, MP4, MOV or WebM.`,
    );
  }
  return MEDIA_FORMATS[format].type === 'image'
    ? inspectImage(path, format, reportInfo)
    : inspectVideo(path, format, reportInfo);
}
