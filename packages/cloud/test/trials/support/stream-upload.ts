import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { multipartFrame } from './multipart.ts';

export interface StreamedUpload {
  url: string;
  key: string;
  /** Content of the file part; a path is streamed. */
  file: string | Buffer;
  /** Size of the file in bytes. */
  size: number;
  fields?: Readonly<Record<string, string>>;
  /** `chunked` sends no Content-Length. */
  transfer: 'length' | 'chunked';
  /** Disconnects after this many bytes of the file. */
  disconnectAfterBytes?: number;
}

export type UploadOutcome =
  | { kind: 'response'; status: number; text: string; headers: IncomingHttpHeaders }
  /** The connection ended before a response. */
  | { kind: 'disconnected'; reason: string };

/** Uploads a file of any size as a browser or curl does, without holding it in memory. */
export async function streamUpload(upload: StreamedUpload): Promise<UploadOutcome> {
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
  const outcomePromise = new Promise<UploadOutcome>((resolve) => {
    outgoing.once('response', (response) => {
      let text = '';
      const done = () =>
        resolve({
          kind: 'response',
          status: response.statusCode ?? 0,
          text,
          headers: response.headers,
        });
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', done).once('error', done);
    });
    outgoing.once('error', (error) => resolve({ kind: 'disconnected', reason: error.message }));
  });
  const body =
    typeof upload.file === 'string'
      ? createReadStream(upload.file, { highWaterMark: 1 << 20 })
      : Readable.from([upload.file]);
  let isAnswered = false;
  void outcomePromise.then(() => (isAnswered = true));
  await write(outgoing, head);
  let sent = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    if (isAnswered) {
      break;
    }
    const remainingBytes = (upload.disconnectAfterBytes ?? Infinity) - sent;
    await write(outgoing, part.subarray(0, remainingBytes));
    sent += part.length;
    if (sent >= (upload.disconnectAfterBytes ?? Infinity)) {
      outgoing.destroy();
      return outcomePromise;
    }
  }
  // The server may already have rejected the upload and stopped reading.
  if (!isAnswered) {
    outgoing.end(tail);
  }
  const outcome = await outcomePromise;
  outgoing.destroy();
  return outcome;
}

async function write(outgoing: ClientRequest, part: Buffer): Promise<void> {
  if (outgoing.destroyed || outgoing.write(part)) {
    return;
  }
  await new Promise<void>((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done).off('response', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done).on('response', done);
  });
}
