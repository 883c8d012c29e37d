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
import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createMediaCacheFixture } from '../../../test/support/media-cache-fixture.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import type { MediaCacheDeps } from './media-cache.ts';
import { createSsrfGuard } from './ssrf-guard.ts';

const { signal } = new AbortController();

async function setUp() {
  const folder = await createMediaCacheFixture();
  const database = createMemoryDatabase();
  return {
    ...folder,
    database,
    openCache: (more?: Partial<MediaCacheDeps>) => folder.openCache(database, more),
  };
}

test('resumes an interrupted download where it stopped', async () => {
  const { cloud, dir, openCache, createAsset } = await setUp();
  const bytes = randomBytes(3_000_000);
  const one = createAsset('film', bytes);
  cloud.handleRoute('/media/', (_request, response) => {
    response.writeHead(200, { etag: `"/media/${one.sha256}"`, 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_500_000), () => response.destroy());
  });
  const cache = await openCache();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
  const partBytes = statSync(join(dir, `${one.sha256}.part`)).size;
  expect(partBytes).toBeGreaterThan(0);
  cloud.handleRoute('/media/', null);
  await cache.fetch(one, signal);
  expect(cloud.received.mediaRequests.at(-1)).toEqual({
    path: `/media/${one.sha256}`,
    range: `bytes=${partBytes}-`,
  });
  expect(readFileSync(join(dir, one.sha256)).equals(bytes)).toBe(true);
  expect(readdirSync(dir)).toEqual([one.sha256]);
});

test('an asset that is deleted during its download is not cached', async () => {
  const { cloud, openCache, createAsset } = await setUp();
  const bytes = randomBytes(3_000_000);
  const one = createAsset('film', bytes);
  cloud.handleRoute('/media/', (_request, response) => {
    response.writeHead(200, { etag: '"film"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_500_000), () => response.destroy());
    cloud.handleRoute('/media/', (_again, refusal) => void refusal.writeHead(404).end());
  });
  const cache = await openCache();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.gone' });
  expect(cache.cachedHashes().size).toBe(0);
  expect(await cache.find(one.sha256)).toBe(null);
});

test('deletes a part with the wrong content and downloads it again', async () => {
  const { dir, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(100_000));
  writeFileSync(join(dir, `${one.sha256}.part`), randomBytes(50_000));
  writeFileSync(join(dir, `${one.sha256}.part.etag`), `"/media/${one.sha256}"`);
  const cache = await openCache();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
  await cache.fetch(one, signal);
  expect(cache.cachedHashes().has(one.sha256)).toBe(true);
});

test('accepts the whole file from a server that ignores the range', async () => {
  const { cloud, dir, openCache, createAsset } = await setUp();
  const bytes = randomBytes(100_000);
  const one = createAsset('film', bytes);
  writeFileSync(join(dir, `${one.sha256}.part`), bytes.subarray(0, 50_000));
  writeFileSync(join(dir, `${one.sha256}.part.etag`), `"other"`);
  cloud.handleRoute('/media/', (_request, response) => response.writeHead(200).end(bytes));
  const cache = await openCache();
  await cache.fetch(one, signal);
  expect(readFileSync(join(dir, one.sha256)).equals(bytes)).toBe(true);
});

test('does not write a body beyond the expected size', async () => {
  const { cloud, dir, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(1_000));
  cloud.handleRoute('/media/', (_request, response) => response.writeHead(200).end(randomBytes(5_000_000)));
  const cache = await openCache();
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
  expect(readdirSync(dir)).toEqual([]);
});

test('finds truncated and missing files at the start', async () => {
  const { dir, database, openCache, createAsset } = await setUp();
  const [short, gone, intact] = ['short', 'gone', 'intact'].map((name) =>
    createAsset(name, randomBytes(1_000)),
  );
  const first = await openCache();
  for (const one of [short!, gone!, intact!]) {
    await first.fetch(one, signal);
  }
  truncateSync(join(dir, short!.sha256), 999);
  database.saveMedia({ sha256: '0'.repeat(64), size: 1, contentType: 'image/png' });
  const second = await openCache();
  expect([...second.cachedHashes()].toSorted()).toEqual([gone!, intact!].map((one) => one.sha256).toSorted());
  expect(existsSync(join(dir, short!.sha256))).toBe(false);
  expect(database.listMedia()).toHaveLength(2);
});

test('does not serve a file that shrinks while the player runs', async () => {
  const { dir, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(1_000));
  const cache = await openCache();
  await cache.fetch(one, signal);
  truncateSync(join(dir, one.sha256), 10);
  expect(await cache.find(one.sha256)).toBe(null);
  expect(cache.cachedHashes().size).toBe(0);
});

test('adopts files without a row without a download, if their hash matches', async () => {
  const { cloud, dir, database, openCache, createAsset } = await setUp();
  const [right, wrong] = ['right', 'wrong'].map((name) => createAsset(name, randomBytes(1_000)));
  const first = await openCache();
  for (const one of [right!, wrong!]) {
    await first.fetch(one, signal);
  }
  for (const row of database.listMedia()) {
    database.removeMedia(row.sha256);
  }
  writeFileSync(join(dir, wrong!.sha256), randomBytes(1_000));
  const requests = cloud.received.mediaRequests.length;
  const second = await openCache();
  for (const one of [right!, wrong!]) {
    await second.fetch(one, signal);
  }
  expect(cloud.received.mediaRequests.slice(requests).map((request) => request.path)).toEqual([
    `/media/${wrong!.sha256}`,
  ]);
  expect(await second.verify(right!.sha256)).toBe(true);
});

test('also adopts a file that was cached months ago', async () => {
  const { cloud, dir, database, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(1_000));
  await (await openCache()).fetch(one, signal);
  const longAgo = new Date(Date.now() - 365 * 24 * 3_600_000);
  utimesSync(join(dir, one.sha256), longAgo, longAgo);
  database.removeMedia(one.sha256);
  const second = await openCache();
  expect(second.cachedHashes().size).toBe(0);
  await second.fetch(one, signal);
  expect(cloud.received.mediaRequests).toHaveLength(1);
});

test('a throttled verification of a large file stops with its signal and reports nothing', async () => {
  const { dir, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(1_000));
  const cache = await openCache();
  await cache.fetch(one, signal);
  writeFileSync(join(dir, one.sha256), randomBytes(1_000));
  expect(await cache.verify(one.sha256, AbortSignal.abort())).toBe(null);
  expect(cache.cachedHashes().size).toBe(1);
  expect(await cache.verify(one.sha256, signal)).toBe(false);
});

test.each([
  [404, {}, { code: 'asset.gone', retry: 'later' }],
  [410, {}, { code: 'asset.gone', retry: 'later' }],
  [500, {}, { code: 'asset.download_failed', retry: 'later' }],
  [429, { 'retry-after': '7' }, { code: 'asset.download_failed', retry: { afterMs: 7_000 } }],
])('a download answered with %i becomes a fault', async (status, headers, fault) => {
  const { cloud, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(1_000));
  cloud.handleRoute('/media/', (_request, response) => response.writeHead(status, headers).end('no'));
  await expect((await openCache()).fetch(one, signal)).rejects.toMatchObject(fault);
});

test('does not request a file from an address that the SSRF guard refuses', async () => {
  const { cloud, dir, openCache, createAsset } = await setUp();
  const one = createAsset('film', randomBytes(1_000));
  // A cloud on the internet, so loopback addresses are refused.
  const cache = await openCache({ ssrfGuard: createSsrfGuard({ server: 'http://93.184.215.14' }) });
  await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.not_allowed' });
  expect(cloud.received.mediaRequests).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
});

const SIGNED = '/store/object?X-Amz-Signature=hidden';

/** A cloud that sends the player to a store for each file, which serves the bytes with another ETag. */
async function setUpRedirects(bytes: Buffer) {
  const folder = await setUp();
  const film = folder.createAsset('film', bytes);
  const ranges: (string | undefined)[] = [];
  folder.cloud.handleRoute('/media/', (_request, response) =>
    response.writeHead(302, { location: `${folder.cloud.url}${SIGNED}` }).end('moved'),
  );
  folder.cloud.handleRoute('/store/', ({ headers: { range } }, response) => {
    ranges.push(range);
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === undefined ? 200 : 206, {
      etag: '"store-1"',
      'content-length': bytes.length - from,
      'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
    });
    if (ranges.length === 1) {
      response.write(bytes.subarray(0, 2_500_000), () => response.destroy());
    } else {
      response.end(bytes.subarray(from));
    }
  });
  return { ...folder, film, ranges };
}

test('follows a redirect, and resumes through a new one', async () => {
  const bytes = randomBytes(3_000_000);
  const { dir, film, ranges, log, openCache } = await setUpRedirects(bytes);
  const cache = await openCache();
  const allowed: string[] = [];
  const requireAllowed = (url: string) => void allowed.push(new URL(url).pathname);
  const failure = await cache.fetch(film, signal, requireAllowed).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'asset.download_failed' });
  const partBytes = statSync(join(dir, `${film.sha256}.part`)).size;
  await cache.fetch(film, signal, requireAllowed);
  expect(readFileSync(join(dir, film.sha256)).equals(bytes)).toBe(true);
  expect(ranges).toEqual([undefined, `bytes=${partBytes}-`]);
  expect(allowed).toEqual(['/store/object', '/store/object']);
  expect(JSON.stringify([failure, log]), 'a signed URL gives access').not.toContain('hidden');
});

const notAllowed = () => {
  throw new Fault('asset.not_allowed', 'later', {});
};

test('a redirect that is not allowed is not followed, nor one too many', async () => {
  const { cloud, film, ranges, openCache } = await setUpRedirects(randomBytes(10));
  const cache = await openCache();
  const fault = { code: 'asset.download_failed', details: { status: 302 } };
  await expect(cache.fetch(film, signal), 'without a check').rejects.toMatchObject(fault);
  await expect(cache.fetch(film, signal, notAllowed)).rejects.toMatchObject({ code: 'asset.not_allowed' });
  const guarded = await openCache({
    ssrfGuard: {
      async check(url) {
        if (url.includes('/store/')) {
          notAllowed();
        }
      },
    },
  });
  await expect(guarded.fetch(film, signal, () => {})).rejects.toMatchObject({ code: 'asset.not_allowed' });
  cloud.handleRoute('/media/', (request, response) =>
    response.writeHead(302, { location: request.url }).end(),
  );
  await expect(
    cache.fetch(film, signal, () => {}),
    'in a circle',
  ).rejects.toMatchObject(fault);
  expect(ranges).toEqual([]);
});
