import { randomBytes } from 'node:crypto';

export interface FormFile {
  fileName: string;
  contentType: string;
  bytes: Uint8Array;
}

/** A serialized multipart form; the file is the last part. */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: FormFile | null,
): { body: Buffer; contentType: string } {
  const { head, tail, contentType } = multipartFrame(fields, file ?? undefined);
  return { body: Buffer.concat([head, ...(file ? [file.bytes] : []), tail]), contentType };
}

/** The bytes of the form before and after the file. */
export function multipartFrame(
  fields: Readonly<Record<string, string>>,
  file?: Omit<FormFile, 'bytes'>,
): { head: Buffer; tail: Buffer; contentType: string } {
  const boundary = `trial${randomBytes(12).toString('hex')}`;
  const part = (name: string, more: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name, '')}\r\n${value}\r\n`);
  const opening = file
    ? `${part('file', `; filename="${file.fileName}"`)}Content-Type: ${file.contentType}\r\n\r\n`
    : '';
  return {
    head: Buffer.from(texts.join('') + opening),
    tail: Buffer.from(`${file ? '\r\n' : ''}--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
