import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ManifestAsset } from '@placard/protocol';
import { expect, test } from 'vitest';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { createMediaFolder } from '../../../test/support/media-folder.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { until } from '../../../test/support/until.ts';
import type { MediaCache } from '../../core/ports.ts';

const { signal } = new AbortController();

test('room is reserved before the first byte', async () => {
  const { cloud, open, asset } = await createMediaFolder();
  const one = asset('film', randomBytes(1_000));
  const cache = await open(createMemoryStore(), { minFreeBytes: Number.MAX_SAFE_INTEGER });
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'disk.full' });
  expect(cloud.seen.mediaRequests).toEqual([]);
});

const naming = (...assets: ManifestAsset[]) => ({ ...sketchManifest({ playlists: {} }), assets });

const FILM_BYTES = 3_000_000;
const LEFT_BYTES = 2_000_000;

async function filmBox() {
  const folder = await createMediaFolder();
  const bytes = randomBytes(FILM_BYTES);
  return { ...folder, store: createMemoryStore(), bytes, film: folder.asset('film', bytes) };
}

/** Breaks the line when two thirds of a film have come; tells how much is on the disk. */
async function breakOff(
  { cloud, dir, film, bytes }: Awaited<ReturnType<typeof filmBox>>,
  cache: MediaCache,
): Promise<number> {
  const path = `/media/${film.sha256}`;
  const part = join(dir, `${film.sha256}.part`);
  const open: ServerResponse[] = [];
  cloud.script(path, (_request, response) => {
    response.writeHead(200, { etag: `"${path}"`, 'content-length': FILM_BYTES });
    response.write(bytes.subarray(0, 2_500_000));
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
  const it = await filmBox();
  const { film } = it;
  const other = it.asset('other', randomBytes(1_500_000));
  const cache = await it.open(it.store, { maxCacheBytes: FILM_BYTES });
  it.store.saveTarget(naming(film, other));
  const left = await breakOff(it, cache);
  expect((await cache.usage()).cacheBytes).toBe(left);
  await expect(cache.fetch(other, signal)).rejects.toMatchObject({ code: 'disk.full' });
  it.store.saveTarget(naming(other));
  await cache.fetch(other, signal);
  expect(readdirSync(it.dir)).toEqual([other.sha256]);
  expect((await cache.usage()).cacheBytes).toBe(other.size);
});

test('a part that was there before the start counts too, and one that is named is gone on with', async () => {
  const it = await filmBox();
  const { film } = it;
  it.store.saveTarget(naming(film));
  const left = await breakOff(it, await it.open(it.store));
  const again = await it.open(it.store, { maxCacheBytes: FILM_BYTES });
  expect((await again.usage()).cacheBytes).toBe(left);
  expect(await again.evict('over_budget')).toEqual([]);
  await again.fetch(film, signal);
  expect(it.cloud.seen.mediaRequests.at(-1)?.range).toBe(`bytes=${left}-`);
  expect((await again.usage()).cacheBytes).toBe(FILM_BYTES);
});

test('parts that no manifest names any more are swept when another one takes over', async () => {
  const it = await filmBox();
  const cache = await it.open(it.store);
  it.store.saveTarget(naming(it.film));
  await breakOff(it, cache);
  it.store.saveTarget(naming());
  it.store.promoteTarget();
  await cache.evict('over_budget');
  expect(readdirSync(it.dir)).toEqual([]);
});

test('a file that a manifest names while room is being made stays', async () => {
  const { open, asset } = await createMediaFolder();
  const store = createMemoryStore();
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
  const cache = await open(index, { maxCacheBytes: 1_000 });
  for (const each of [one, two]) await cache.fetch(each, signal);
  await expect(cache.fetch(big, signal)).rejects.toMatchObject({ code: 'disk.full' });
  expect([...cache.held()]).toEqual([one.sha256]);
});

test('two downloads side by side are not promised the same room', async () => {
  const { cloud, open, asset } = await createMediaFolder();
  const [one, two] = [asset('one', randomBytes(600)), asset('two', randomBytes(600))];
  const cache = await open(createMemoryStore(), { maxCacheBytes: 1_000 });
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

test('a file that gets its name while it is counted is counted', async () => {
  const { open, asset } = await createMediaFolder();
  const cache = await open(createMemoryStore());
  const fetched = new AbortController();
  const neverLess = async () => {
    for (let last = 0; !fetched.signal.aborted;) {
      const { cacheBytes } = await cache.usage();
      if (cacheBytes < last) return false;
      last = cacheBytes;
    }
    return true;
  };
  const counting = Array.from({ length: 8 }, neverLess);
  for (let index = 0; index < 120; index++) await cache.fetch(asset(`file ${index}`), signal);
  fetched.abort();
  expect(await Promise.all(counting)).not.toContain(false);
});
