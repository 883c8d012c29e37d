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
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ManifestAsset } from '@placard/protocol';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import { imageAsset, sketchManifest } from '../../../test/support/manifests.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { until } from '../../../test/support/until.ts';
import type { MediaCache, MediaIndex } from '../../core/ports.ts';
import { openMediaCache } from './media-cache.ts';

const signal = new AbortController().signal;

async function box() {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const dir = tempDir();
  const store = createMemoryStore();
  const open = (minFreeBytes = 0, maxCacheBytes: number | null = null, index: MediaIndex = store) =>
    openMediaCache({
      dir,
      index,
      dispatcher,
      maxCacheBytes,
      maxBytesPerSecond: null,
      minFreeBytes,
      log: createQuietLog(),
    });
  const asset = (name: string, bytes: Buffer) => ({ ...imageAsset(name, cloud.addMedia(bytes)), bytes });
  return { cloud, dir, store, open, asset };
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

test('room is reserved before the first byte', async () => {
  const { cloud, open, asset } = await box();
  const one = asset('film', randomBytes(1_000));
  const cache = await open(Number.MAX_SAFE_INTEGER);
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'disk.full' });
  expect(cloud.seen.mediaRequests).toEqual([]);
});

const naming = (...assets: ManifestAsset[]) => ({ ...sketchManifest({ playlists: {} }), assets });

const FILM_BYTES = 3_000_000;
const LEFT_BYTES = 2_000_000;

/** Breaks the line when two thirds of a film have come; tells how much is on the disk. */
async function breakOff(
  { cloud, dir }: Awaited<ReturnType<typeof box>>,
  cache: MediaCache,
  film: ManifestAsset & { bytes: Buffer },
): Promise<number> {
  const path = `/media/${film.sha256}`;
  const part = join(dir, `${film.sha256}.part`);
  const open: ServerResponse[] = [];
  cloud.script(path, (_request, response) => {
    response.writeHead(200, { etag: `"${path}"`, 'content-length': FILM_BYTES });
    response.write(film.bytes.subarray(0, 2_500_000));
    open.push(response);
  });
  const broken = cache.fetch(film, signal).catch((error: unknown) => error);
  await until('most of it', () => (statSync(part, { throwIfNoEntry: false })?.size ?? 0) > LEFT_BYTES);
  for (const response of open) response.destroy();
  expect(await broken).toMatchObject({ code: 'asset.download_failed' });
  cloud.script(path, null);
  return statSync(part).size;
}

test('what a broken download left counts, and goes first when nobody names it any more', async () => {
  const it = await box();
  const [film, other] = [
    it.asset('film', randomBytes(FILM_BYTES)),
    it.asset('other', randomBytes(1_500_000)),
  ];
  const cache = await it.open(0, FILM_BYTES);
  it.store.saveTarget(naming(film, other));
  const left = await breakOff(it, cache, film);
  expect((await cache.usage()).cacheBytes).toBe(left);
  await expect(cache.fetch(other, signal)).rejects.toMatchObject({ code: 'disk.full' });
  it.store.saveTarget(naming(other));
  await cache.fetch(other, signal);
  expect(readdirSync(it.dir)).toEqual([other.sha256]);
  expect((await cache.usage()).cacheBytes).toBe(other.size);
});

test('a part that was there before the start counts too, and one that is named is gone on with', async () => {
  const it = await box();
  const film = it.asset('film', randomBytes(FILM_BYTES));
  it.store.saveTarget(naming(film));
  const left = await breakOff(it, await it.open(), film);
  const again = await it.open(0, FILM_BYTES);
  expect((await again.usage()).cacheBytes).toBe(left);
  expect(await again.evict('over_budget')).toEqual([]);
  await again.fetch(film, signal);
  expect(it.cloud.seen.mediaRequests.at(-1)?.range).toBe(`bytes=${left}-`);
  expect((await again.usage()).cacheBytes).toBe(FILM_BYTES);
});

test('parts that no manifest names any more are swept when another one takes over', async () => {
  const it = await box();
  const film = it.asset('film', randomBytes(FILM_BYTES));
  const cache = await it.open();
  it.store.saveTarget(naming(film));
  await breakOff(it, cache, film);
  it.store.saveTarget(naming());
  it.store.promoteTarget();
  await cache.evict('over_budget');
  expect(readdirSync(it.dir)).toEqual([]);
});

test('a file that a manifest names while room is being made stays', async () => {
  const { store, open, asset } = await box();
  const [one, two, big] = [
    asset('1', randomBytes(500)),
    asset('2', randomBytes(500)),
    asset('3', randomBytes(900)),
  ];
  const index = {
    ...store,
    unnamedMedia() {
      const rows = store.unnamedMedia();
      store.saveTarget(naming(one));
      return rows;
    },
  };
  const cache = await open(0, 1_000, index);
  for (const each of [one, two]) await cache.fetch(each, signal);
  await expect(cache.fetch(big, signal)).rejects.toMatchObject({ code: 'disk.full' });
  expect([...cache.held()]).toEqual([one.sha256]);
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

test('two downloads side by side are not promised the same room', async () => {
  const { cloud, open, asset } = await box();
  const [one, two] = [asset('one', randomBytes(600)), asset('two', randomBytes(600))];
  const cache = await open(0, 1_000);
  const held: (() => void)[] = [];
  cloud.script('/media/', (_request, response) => void held.push(() => response.destroy()));
  const both = [one, two].map((each) => cache.fetch(each, signal));
  const first = await Promise.race(both.map((each) => each.catch((error: unknown) => error)));
  expect(first).toMatchObject({ code: 'disk.full' });
  await until('the request of the other', () => held.length > 0);
  cloud.script('/media/', null);
  for (const cut of held) cut();
  const ends = await Promise.allSettled(both);
  const codes = new Set(ends.map((end) => end.status === 'rejected' && end.reason.code));
  expect(codes).toEqual(new Set(['disk.full', 'asset.download_failed']));
  // What was promised to a download that failed is free again.
  await cache.fetch(one, signal);
  expect(cache.held().size).toBe(1);
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
