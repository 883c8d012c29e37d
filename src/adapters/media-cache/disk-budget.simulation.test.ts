import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ManifestAsset } from '@placard/protocol';
import { expect, test } from 'vitest';
import { buildManifest } from '../../../test/support/manifests.ts';
import { createMediaCacheFixture } from '../../../test/support/media-cache-fixture.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import type { MediaCache } from '../../core/ports.ts';

const { signal } = new AbortController();

test('reserves space before the first byte', async () => {
  const { cloud, openCache, createAsset } = await createMediaCacheFixture();
  const one = createAsset('film', randomBytes(1_000));
  const cache = await openCache(createMemoryDatabase(), { minFreeBytes: Number.MAX_SAFE_INTEGER });
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'disk.full' });
  expect(cloud.received.mediaRequests).toEqual([]);
});

const manifestReferencing = (...assets: ManifestAsset[]) => ({ ...buildManifest({ playlists: {} }), assets });

const FILM_BYTES = 3_000_000;
const MIN_PART_BYTES = 2_000_000;

async function setUpFilm() {
  const folder = await createMediaCacheFixture();
  const bytes = randomBytes(FILM_BYTES);
  return { ...folder, store: createMemoryDatabase(), bytes, film: folder.createAsset('film', bytes) };
}

/** Aborts the connection after two thirds of the file; returns how many bytes are on the disk. */
async function interruptDownload(
  { cloud, dir, film, bytes }: Awaited<ReturnType<typeof setUpFilm>>,
  cache: MediaCache,
): Promise<number> {
  const path = `/media/${film.sha256}`;
  const part = join(dir, `${film.sha256}.part`);
  const open: ServerResponse[] = [];
  cloud.handleRoute(path, (_request, response) => {
    response.writeHead(200, { etag: `"${path}"`, 'content-length': FILM_BYTES });
    response.write(bytes.subarray(0, 2_500_000));
    open.push(response);
  });
  const broken = cache.fetch(film, signal).catch((error: unknown) => error);
  await waitUntil(
    'most of it',
    () => (statSync(part, { throwIfNoEntry: false })?.size ?? 0) > MIN_PART_BYTES,
  );
  for (const response of open) {
    response.destroy();
  }
  expect(await broken).toMatchObject({ code: 'asset.download_failed' });
  cloud.handleRoute(path, null);
  return statSync(part).size;
}

test('a part of a broken download counts, and is evicted first when no manifest references it', async () => {
  const it = await setUpFilm();
  const { film } = it;
  const other = it.createAsset('other', randomBytes(1_500_000));
  const cache = await it.openCache(it.store, { maxCacheBytes: FILM_BYTES });
  it.store.saveTargetManifest(manifestReferencing(film, other));
  const partBytes = await interruptDownload(it, cache);
  expect((await cache.usage()).cacheBytes).toBe(partBytes);
  await expect(cache.fetch(other, signal)).rejects.toMatchObject({ code: 'disk.full' });
  it.store.saveTargetManifest(manifestReferencing(other));
  await cache.fetch(other, signal);
  expect(readdirSync(it.dir)).toEqual([other.sha256]);
  expect((await cache.usage()).cacheBytes).toBe(other.size);
});

test('a part from before the start counts too, and a referenced one is resumed', async () => {
  const it = await setUpFilm();
  const { film } = it;
  it.store.saveTargetManifest(manifestReferencing(film));
  const partBytes = await interruptDownload(it, await it.openCache(it.store));
  const again = await it.openCache(it.store, { maxCacheBytes: FILM_BYTES });
  expect((await again.usage()).cacheBytes).toBe(partBytes);
  expect(await again.evict('over_budget')).toEqual([]);
  await again.fetch(film, signal);
  expect(it.cloud.received.mediaRequests.at(-1)?.range).toBe(`bytes=${partBytes}-`);
  expect((await again.usage()).cacheBytes).toBe(FILM_BYTES);
});

test('parts that no manifest references are deleted when another manifest takes over', async () => {
  const it = await setUpFilm();
  const cache = await it.openCache(it.store);
  it.store.saveTargetManifest(manifestReferencing(it.film));
  await interruptDownload(it, cache);
  it.store.saveTargetManifest(manifestReferencing());
  it.store.promoteTargetManifest();
  await cache.evict('over_budget');
  expect(readdirSync(it.dir)).toEqual([]);
});

test('keeps a file that a manifest references while files are being evicted', async () => {
  const { openCache, createAsset } = await createMediaCacheFixture();
  const database = createMemoryDatabase();
  const [one, two, big] = [
    createAsset('1', randomBytes(500)),
    createAsset('2', randomBytes(500)),
    createAsset('3', randomBytes(900)),
  ];
  const index = {
    ...database,
    listUnreferencedMedia() {
      const rows = database.listUnreferencedMedia();
      database.saveTargetManifest(manifestReferencing(one));
      return rows;
    },
  };
  const cache = await openCache(index, { maxCacheBytes: 1_000 });
  for (const each of [one, two]) {
    await cache.fetch(each, signal);
  }
  await expect(cache.fetch(big, signal)).rejects.toMatchObject({ code: 'disk.full' });
  expect([...cache.cachedHashes()]).toEqual([one.sha256]);
});

test('does not reserve the same space for two parallel downloads', async () => {
  const { cloud, openCache, createAsset } = await createMediaCacheFixture();
  const [one, two] = [createAsset('one', randomBytes(600)), createAsset('two', randomBytes(600))];
  const cache = await openCache(createMemoryDatabase(), { maxCacheBytes: 1_000 });
  const abortResponses: (() => void)[] = [];
  cloud.handleRoute('/media/', (_request, response) => void abortResponses.push(() => response.destroy()));
  const both = [one, two].map((each) => cache.fetch(each, signal));
  const first = await Promise.race(both.map((each) => each.catch((error: unknown) => error)));
  expect(first).toMatchObject({ code: 'disk.full' });
  await waitUntil('the request of the other', () => abortResponses.length > 0);
  cloud.handleRoute('/media/', null);
  for (const cut of abortResponses) {
    cut();
  }
  const ends = await Promise.allSettled(both);
  const codes = new Set(ends.map((end) => end.status === 'rejected' && end.reason.code));
  expect(codes).toEqual(new Set(['disk.full', 'asset.download_failed']));
  // The reservation of a failed download is released.
  await cache.fetch(one, signal);
  expect(cache.cachedHashes().size).toBe(1);
});

test('counts a file that is renamed while it is counted', async () => {
  const { openCache, createAsset } = await createMediaCacheFixture();
  const cache = await openCache(createMemoryDatabase());
  const fetched = new AbortController();
  const neverLess = async () => {
    for (let last = 0; !fetched.signal.aborted;) {
      const { cacheBytes } = await cache.usage();
      if (cacheBytes < last) {
        return false;
      }
      last = cacheBytes;
    }
    return true;
  };
  const counting = Array.from({ length: 8 }, neverLess);
  for (let index = 0; index < 120; index++) {
    await cache.fetch(createAsset(`file ${index}`), signal);
  }
  fetched.abort();
  expect(await Promise.all(counting)).not.toContain(false);
});
