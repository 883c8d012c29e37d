import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { assert } from '../support/contract-violation.ts';

const TUS = { 'tus-resumable': '1.0.0' };
const RETRY_MS = 100;
/** All has arrived, and the cloud checks the file. */
const CHECKED_MS = 1_000;
const READ_BYTES = 262_144;

export interface TusUpload {
  url: string;
  key: string;
  file: string;
  size: number;
  /** The header `Upload-Metadata`. */
  metadata: string;
  /** Called with each offset at which the upload continues. */
  onContinue?: (offset: number) => void;
}

/** A small client of tus: sends a file until it has arrived, however often the line breaks. Returns the id of the asset. */
export async function tusUpload(upload: TusUpload): Promise<{ assetId: string; attempts: number }> {
  const dispatcher = new Agent({ headersTimeout: 120_000, bodyTimeout: 120_000, pipelining: 0 });
  const authorization = `Bearer ${upload.key}`;
  const send = async (
    method: Dispatcher.HttpMethod,
    path: string,
    more: Partial<Dispatcher.RequestOptions>,
  ) => {
    const headers = { ...TUS, authorization, ...Object(more.headers) };
    const response = await request(`${upload.url}${path}`, { ...more, dispatcher, method, headers });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  };
  const begin = () =>
    send('POST', '/v1/content/uploads', {
      headers: { 'upload-length': String(upload.size), 'upload-metadata': upload.metadata },
    });
  try {
    const begun = await retry(begin);
    assert(begun.status === 201, 'an upload cannot begin', begun);
    const path = new URL(String(begun.headers['location'])).pathname;
    let attempts = 0;
    let last = -1;
    for (;;) {
      const asked = await retry(() => send('HEAD', path, {}));
      assert(asked.status === 200, 'an upload is lost', asked);
      const offset = Number(asked.headers['upload-offset']);
      assert(offset >= last, 'an upload has lost bytes that were acknowledged', { offset, last });
      last = offset;
      const asset = asked.headers['placard-asset'];
      if (asset !== undefined) {
        return { assetId: String(asset), attempts };
      }
      attempts += 1;
      upload.onContinue?.(offset);
      const sent = await send('PATCH', path, {
        headers: {
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
          'content-length': String(upload.size - offset),
        },
        body: createReadStream(upload.file, { start: offset, highWaterMark: READ_BYTES }),
      }).catch(() => null);
      assert(sent === null || [204, 409, 503].includes(sent.status), 'bytes of an upload were refused', sent);
      if (sent?.headers['placard-asset'] === undefined) {
        await sleep(offset === upload.size ? CHECKED_MS : RETRY_MS);
      }
    }
  } finally {
    await dispatcher.destroy();
  }
}

/** Until there is an answer: the line or the server may be gone for a while. */
async function retry<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    const result = await run().catch(() => null);
    if (result !== null) {
      return result;
    }
    await sleep(RETRY_MS);
  }
}
