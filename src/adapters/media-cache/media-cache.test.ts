import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMediaFolder } from '../../../test/support/media-folder.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import type { MediaCacheDeps } from './media-cache.ts';
import { createMediaGate } from './media-gate.ts';

const { signal } = new AbortController();

async function box() {
  const folder = await createMediaFolder();
  const store = createMemoryStore();
  return { ...folder, store, open: (more?: Partial<MediaCacheDeps>) => folder.open(store, more) };
}

test('a download that was cut off goes on where it stopped', async () => {
  const { cloud, dir, open, asset } = await box();
  const bytes = randomBytes(3_000_000);
  const one = asset('film', bytes);
  cloud.script('/media/', (_request, response) => {
    response.writeHead(200, { etag: `"/media/${one.sha256}"`, 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_500_000), () => response.destroy());
  });
  const cache = await open();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
  const kept = statSync(join(dir, `${one.sha256}.part`)).size;
  expect(kept).toBeGreaterThan(0);
  cloud.script('/media/', null);
  await cache.fetch(one, signal);
  expect(cloud.seen.mediaRequests.at(-1)).toEqual({ path: `/media/${one.sha256}`, range: `bytes=${kept}-` });
  expect(readFileSync(join(dir, one.sha256)).equals(bytes)).toBe(true);
  expect(readdirSync(dir)).toEqual([one.sha256]);
});

test('an asset that is deleted in the midst of its download is gone, and nothing of it is held', async () => {
  const { cloud, open, asset } = await box();
  const bytes = randomBytes(3_000_000);
  const one = asset('film', bytes);
  cloud.script('/media/', (_request, response) => {
    response.writeHead(200, { etag: '"film"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_500_000), () => response.destroy());
    cloud.script('/media/', (_again, refusal) => void refusal.writeHead(404).end());
  });
  const cache = await open();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.gone' });
  expect(cache.held().size).toBe(0);
  expect(await cache.find(one.sha256)).toBe(null);
});

test('a part that is wrong is thrown away and fetched anew', async () => {
  const { dir, open, asset } = await box();
  const one = asset('film', randomBytes(100_000));
  writeFileSync(join(dir, `${one.sha256}.part`), randomBytes(50_000));
  writeFileSync(join(dir, `${one.sha256}.part.etag`), `"/media/${one.sha256}"`);
  const cache = await open();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
  await cache.fetch(one, signal);
  expect(cache.held().has(one.sha256)).toBe(true);
});

test('a server that ignores the range sends the whole file, and that is well too', async () => {
  const { cloud, dir, open, asset } = await box();
  const bytes = randomBytes(100_000);
  const one = asset('film', bytes);
  writeFileSync(join(dir, `${one.sha256}.part`), bytes.subarray(0, 50_000));
  writeFileSync(join(dir, `${one.sha256}.part.etag`), `"other"`);
  cloud.script('/media/', (_request, response) => response.writeHead(200).end(bytes));
  const cache = await open();
  await cache.fetch(one, signal);
  expect(readFileSync(join(dir, one.sha256)).equals(bytes)).toBe(true);
});

test('a body that never ends is not written past the size that was promised', async () => {
  const { cloud, dir, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  cloud.script('/media/', (_request, response) => response.writeHead(200).end(randomBytes(5_000_000)));
  const cache = await open();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
  expect(readdirSync(dir)).toEqual([]);
});

test('what was cut short or is gone is noticed at the start', async () => {
  const { dir, store, open, asset } = await box();
  const [short, gone, sound] = ['short', 'gone', 'sound'].map((name) => asset(name, randomBytes(1_000)));
  const first = await open();
  for (const one of [short!, gone!, sound!]) await first.fetch(one, signal);
  truncateSync(join(dir, short!.sha256), 999);
  store.putMedia({ sha256: '0'.repeat(64), size: 1, contentType: 'image/png' });
  const second = await open();
  expect([...second.held()].toSorted()).toEqual([gone!, sound!].map((one) => one.sha256).toSorted());
  expect(existsSync(join(dir, short!.sha256))).toBe(false);
  expect(store.listMedia()).toHaveLength(2);
});

test('a file that shrinks under the player is not served', async () => {
  const { dir, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  const cache = await open();
  await cache.fetch(one, signal);
  truncateSync(join(dir, one.sha256), 10);
  expect(await cache.find(one.sha256)).toBe(null);
  expect(cache.held().size).toBe(0);
});

test('files that outlived the database are taken on without a download, if they are right', async () => {
  const { cloud, dir, store, open, asset } = await box();
  const [right, wrong] = ['right', 'wrong'].map((name) => asset(name, randomBytes(1_000)));
  const first = await open();
  for (const one of [right!, wrong!]) await first.fetch(one, signal);
  for (const row of store.listMedia()) store.removeMedia(row.sha256);
  writeFileSync(join(dir, wrong!.sha256), randomBytes(1_000));
  const requests = cloud.seen.mediaRequests.length;
  const second = await open();
  for (const one of [right!, wrong!]) await second.fetch(one, signal);
  expect(cloud.seen.mediaRequests.slice(requests).map((request) => request.path)).toEqual([
    `/media/${wrong!.sha256}`,
  ]);
  expect(await second.verify(right!.sha256)).toBe(true);
});

test('a file that has been on the wall for months outlives the database too', async () => {
  const { cloud, dir, store, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  await (await open()).fetch(one, signal);
  const longAgo = new Date(Date.now() - 365 * 24 * 3_600_000);
  utimesSync(join(dir, one.sha256), longAgo, longAgo);
  store.removeMedia(one.sha256);
  const second = await open();
  expect(second.held().size).toBe(0);
  await second.fetch(one, signal);
  expect(cloud.seen.mediaRequests).toHaveLength(1);
});

test('a gentle look at a large file ends with its signal, and says nothing of it', async () => {
  const { dir, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  const cache = await open();
  await cache.fetch(one, signal);
  writeFileSync(join(dir, one.sha256), randomBytes(1_000));
  expect(await cache.verify(one.sha256, AbortSignal.abort())).toBe(null);
  expect(cache.held().size).toBe(1);
  expect(await cache.verify(one.sha256, signal)).toBe(false);
});

test.each([
  [404, {}, { code: 'asset.gone', retry: 'later' }],
  [410, {}, { code: 'asset.gone', retry: 'later' }],
  [500, {}, { code: 'asset.download_failed', retry: 'later' }],
  [429, { 'retry-after': '7' }, { code: 'asset.download_failed', retry: { afterMs: 7_000 } }],
])('an answer of %i to a download becomes a fault', async (status, headers, fault) => {
  const { cloud, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  cloud.script('/media/', (_request, response) => response.writeHead(status, headers).end('no'));
  await expect((await open()).fetch(one, signal)).rejects.toMatchObject(fault);
});

test('a file at an address that the gate refuses is not asked for', async () => {
  const { cloud, dir, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  // Of a cloud out in the world, none on this box.
  const cache = await open({ gate: createMediaGate({ server: 'http://93.184.215.14' }) });
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.not_allowed' });
  expect(cloud.seen.mediaRequests).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
});
