import { open } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { MEDIA_FORMATS } from '../../domain/media-formats.ts';
import type { MediaFormat } from '../../domain/media-formats.ts';
import { explainFormat } from './explain-format.ts';
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
  const format = fileType && (FORMAT_OF_MIME[fileType.mime] ?? (await findAvif(path, fileType.mime)));
  if (!format) {
    return rejectFile('unsupported_format', await explainFormat(path, fileType?.mime));
  }
  return MEDIA_FORMATS[format].type === 'image'
    ? inspectImage(path, format, reportInfo)
    : inspectVideo(path, format, reportInfo);
}

/** Some programs name the general brand of HEIF first, and AVIF among the compatible ones (ISO 14496-12, `ftyp`). */
async function findAvif(path: string, mime: string): Promise<'avif' | undefined> {
  if (!mime.startsWith('image/heif')) {
    return undefined;
  }
  const file = await open(path, 'r');
  try {
    const { buffer: head } = await file.read(Buffer.alloc(128), 0, 128, 0);
    const brands = head.toString('latin1', 16, Math.min(head.readUInt32BE(0), head.length));
    return /^(.{4})*avi[fs]/s.test(brands) ? 'avif' : undefined;
  } finally {
    await file.close();
  }
}
