import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { multipartFrame } from './upload.ts';

export interface FileUpload {
  url: string;
  key: string;
  /** Bytes of the file part; a path is streamed. */
  file: string | Buffer;
  /** Of the file, bytes. */
  size: number;
  fields?: Readonly<Record<string, string>>;
  /** `chunked` sends no Content-Length. */
  transfer: 'length' | 'chunked';
  /** The connection is cut after so many bytes of the file. */
  vanishAfter?: number;
}

export type UploadOutcome =
  | { kind: 'answer'; status: number; text: string; headers: IncomingHttpHeaders }
  /** The connection ended before an answer came. */
  | { kind: 'cut'; reason: string };

/** Uploads a file of any size as a browser or curl does, without holding it in memory. */
export async function uploadFile(upload: FileUpload): Promise<UploadOutcome> {
  const { head, tail, contentType } = multipartFrame(upload.fields ?? {}, {
    fileName: 'trial.mp4',
    contentType: 'video/mp4',
  });
  const outgoing = request(`${upload.url}/v1/content/upload`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${upload.key}`,
      'content-type': contentType,
      ...(upload.transfer === 'length'
        ? { 'content-length': head.length + upload.size + tail.length }
        : { 'transfer-encoding': 'chunked' }),
    },
  });
  const answered = new Promise<UploadOutcome>((resolve) => {
    outgoing.once('response', (response) => {
      let text = '';
      const done = () =>
        resolve({
          kind: 'answer',
          status: response.statusCode ?? 0,
          text,
          headers: response.headers,
        });
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', done).once('error', done);
    });
    outgoing.once('error', (error) => resolve({ kind: 'cut', reason: error.message }));
  });
  const body =
    typeof upload.file === 'string'
      ? createReadStream(upload.file, { highWaterMark: 1 << 20 })
      : Readable.from([upload.file]);
  let over = false;
  void answered.then(() => (over = true));
  await write(outgoing, head);
  let sent = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    if (over) break;
    const left = (upload.vanishAfter ?? Infinity) - sent;
    await write(outgoing, part.subarray(0, left));
    sent += part.length;
    if (sent >= (upload.vanishAfter ?? Infinity)) {
      outgoing.destroy();
      return answered;
    }
  }
  // The server may have said no already and stopped reading.
  if (!over) outgoing.end(tail);
  const outcome = await answered;
  outgoing.destroy();
  return outcome;
}

async function write(outgoing: ClientRequest, part: Buffer): Promise<void> {
  if (outgoing.destroyed || outgoing.write(part)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done).off('response', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done).on('response', done);
  });
}
