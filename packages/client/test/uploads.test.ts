import { createHash, randomBytes } from 'node:crypto';
import { PlacardError } from '@placard/client';
import { uploadFile } from '@placard/client/uploads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { png, sampleMedia } from '../../cloud/test/support/media.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { startLine } from './support/line.ts';
import { clientOf } from './support/start-client.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** A video with a box of random bytes at its end, which players skip. */
async function largeVideo(size: number): Promise<Buffer<ArrayBuffer>> {
  const box = Buffer.alloc(size);
  box.writeUInt32BE(size, 0);
  box.write('free', 4);
  randomBytes(size - 8).copy(box, 8);
  return Buffer.concat([await sampleMedia('sample-waves-1280x720.mp4'), box]);
}

test('an upload over a line that is cut again and again arrives whole, and says how far it is', async () => {
  const bytes = await largeVideo(4_000_000);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const line = await startLine(cloud.cloud.url);
  const reports: number[] = [];
  const asset = await uploadFile(clientOf(cloud, { server: line.url }), new Blob([bytes]), {
    name: 'Film',
    tags: ['a', 'b'],
    sha256,
    chunkBytes: 500_000,
    onProgress({ sent, total }) {
      expect(total).toBe(bytes.length);
      reports.push(sent);
      // While the next part is on its way.
      if (reports.length <= 5) {
        setImmediate(() => line.cut());
      }
    },
  });
  expect(asset).toMatchObject({ name: 'Film', tags: ['a', 'b'], size: bytes.length, sha256 });
  expect(reports).toEqual(reports.toSorted((a, b) => a - b));
  expect([reports[0], reports.at(-1)]).toEqual([0, bytes.length]);
  expect(line.connections).toBeGreaterThan(3);
});

test('another program continues an upload by its id', async () => {
  const bytes = await png(77, 400, 300);
  const file = new Blob([Uint8Array.from(bytes)]);
  const stop = new AbortController();
  let uploadId = '';
  const first = uploadFile(clientOf(cloud), file, {
    chunkBytes: Math.ceil(bytes.length / 2),
    onStart: (id) => void (uploadId = id),
    onProgress: ({ sent }) => void (sent > 0 && stop.abort(new Error('enough for now'))),
    signal: stop.signal,
  });
  await expect(first).rejects.toThrow('enough for now');
  const reports: number[] = [];
  const asset = await uploadFile(clientOf(cloud), file, {
    uploadId,
    onProgress: ({ sent }) => reports.push(sent),
  });
  expect(asset.size).toBe(bytes.length);
  expect(reports[0]).toBeGreaterThan(0);
});

test('what the cloud refuses is its error', async () => {
  const wrong = uploadFile(clientOf(cloud), new Blob(['not a picture']), { name: 'x' });
  await expect(wrong).rejects.toBeInstanceOf(PlacardError);
  await expect(wrong).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  const sha256 = '0'.repeat(64);
  const file = new Blob([Uint8Array.from(await png(78))]);
  await expect(uploadFile(clientOf(cloud), file, { sha256 })).rejects.toMatchObject({
    code: 'CHECKSUM_MISMATCH',
  });
});
