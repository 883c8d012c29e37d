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

const blobOf = async (shade: number) => new Blob([Uint8Array.from(await png(shade))]);

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

test('a file replaces that of an asset, also in a cloud whose uploads do not know how', async () => {
  const placard = clientOf(cloud);
  const first = await uploadFile(placard, await blobOf(79), { name: 'Prices', tags: ['menu'] });
  const second = await uploadFile(placard, await blobOf(80), { replaces: first.id });
  expect(second).toMatchObject({ id: first.id, name: 'Prices', tags: ['menu'] });
  expect(second.sha256).not.toBe(first.sha256);
  const older = clientOf(cloud, {
    // Without the key `replaces` a cloud would make a new asset.
    fetch(input, init) {
      const headers = new Headers(init?.headers);
      headers.delete('upload-metadata');
      return fetch(input, { ...init, headers });
    },
  });
  const third = await uploadFile(older, await blobOf(81), { replaces: first.id, name: 'New prices' });
  expect(third).toMatchObject({ id: first.id, name: 'New prices', tags: ['menu'] });
  expect(third.sha256).not.toBe(second.sha256);
  expect(await placard.content.list({ search: 'prices' }).toArray()).toHaveLength(1);
});

test('what the cloud refuses is its error', async () => {
  const placard = clientOf(cloud);
  const video = new Blob([Uint8Array.from(await sampleMedia('sample-waves-1280x720.mp4'))]);
  const { id } = await uploadFile(placard, video, { name: 'Clip' });
  await placard.playlists.create({ name: 'To its end', items: [{ content_id: id }] });
  await expect(uploadFile(placard, await blobOf(82), { replaces: id })).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'duration_required', playlists: [{ name: 'To its end' }] },
  });
  const wrong = uploadFile(clientOf(cloud), new Blob(['not a picture']), { name: 'x' });
  await expect(wrong).rejects.toBeInstanceOf(PlacardError);
  await expect(wrong).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  const sha256 = '0'.repeat(64);
  const file = await blobOf(78);
  await expect(uploadFile(clientOf(cloud), file, { sha256 })).rejects.toMatchObject({
    code: 'CHECKSUM_MISMATCH',
  });
});
