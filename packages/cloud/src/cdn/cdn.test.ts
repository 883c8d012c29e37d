import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import pino from 'pino';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { storeBytes } from '../../test/support/blob-store-contract.ts';
import { createDiskBlobStore } from '../blob/disk-blob-store.ts';
import { sendApiError, toApiError } from '../http-server/errors.ts';
import { systemClock } from '../system-clock.ts';
import { addCdn } from './cdn.ts';

test('a file that is deleted after it was found is answered with 404, which nobody keeps', async () => {
  const blobs = await createDiskBlobStore(tempDir(), systemClock);
  const bytes = randomBytes(1000);
  const { sha256 } = await storeBytes(blobs, bytes);
  let isDeletedBefore = false;
  const app = fastify();
  app.setErrorHandler((error, request, reply) =>
    sendApiError(toApiError(error, request, pino({ level: 'silent' })), reply, 'http://cloud.example'),
  );
  addCdn(app, {
    redirects: null,
    blobs: {
      ...blobs,
      async read(blob, range) {
        if (isDeletedBefore) {
          await blobs.delete(blob);
        }
        return blobs.read(blob, range);
      },
    },
  });
  const ask = () => app.inject({ url: `/cdn/${sha256}.jpg`, headers: { range: 'bytes=0-99' } });
  const part = await ask();
  expect([part.statusCode, part.rawPayload.equals(bytes.subarray(0, 100))]).toEqual([206, true]);
  expect(part.headers['cache-control']).toContain('immutable');

  isDeletedBefore = true;
  const gone = await ask();
  expect([gone.statusCode, gone.json().error.code]).toEqual([404, 'CONTENT_NOT_FOUND']);
  for (const name of ['cache-control', 'content-range', 'etag']) {
    expect(gone.headers, name).not.toHaveProperty(name);
  }
});
