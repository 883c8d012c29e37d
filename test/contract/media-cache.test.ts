import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestAsset } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import type { PlayEnd, Showing } from '../../src/core/playback/plays.ts';
import type { MediaCache, PlayerDatabase } from '../../src/core/ports.ts';
import { imageAsset, buildManifest } from '../support/manifests.ts';
import { createMediaCacheFixture } from '../support/media-cache-fixture.ts';
import { createMemoryMediaCache } from '../support/memory-media-cache.ts';
import { createMemoryDatabase } from '../support/memory-database.ts';

interface Subject {
  cache: MediaCache;
  database: PlayerDatabase;
  /** An asset that can be downloaded. */
  readonly createAsset: (name: string, bytes?: string) => ManifestAsset;
  readonly damage: (sha256: string) => void;
}

const MAX_BYTES = 30;
const END: PlayEnd = { endedAtMs: 2_000, durationMs: 1_000, outcome: 'completed', reason: null };

async function onDisk(): Promise<Subject> {
  const { dir, openCache, createAsset } = await createMediaCacheFixture();
  const database = createMemoryDatabase();
  return {
    cache: await openCache(database, { maxCacheBytes: MAX_BYTES }),
    database,
    createAsset,
    damage: (sha256) => writeFileSync(join(dir, sha256), 'damaged!!!'),
  };
}

async function inMemory(): Promise<Subject> {
  const database = createMemoryDatabase();
  const cache = createMemoryMediaCache({ index: database, maxCacheBytes: MAX_BYTES });
  return {
    cache,
    database,
    createAsset(name, bytes = name) {
      const url = `http://cdn.test/${name}`;
      cache.setDownload(url, Buffer.from(bytes));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return imageAsset(name, { sha256, size: bytes.length, url });
    },
    damage: (sha256) => cache.corrupt(sha256),
  };
}

const signal = new AbortController().signal;

const createShowing = (id: string, asset: ManifestAsset): Showing => ({
  id,
  playlistId: 'pl',
  itemId: 'pl/item',
  contentId: asset.id,
  sha256: asset.sha256,
  scheduleId: null,
  ruleId: null,
  kind: 'image',
  durationMs: 10_000,
  videoEndMs: null,
});

describe.each([
  ['disk', onDisk],
  ['memory', inMemory],
])('the media cache in %s', (_, make) => {
  test('holds and finds what it has fetched', async () => {
    const { cache, database, createAsset: asset } = await make();
    const one = asset('ten bytes!');
    await cache.fetch(one, signal);
    await cache.fetch(one, signal);
    expect([...cache.cachedHashes()]).toEqual([one.sha256]);
    expect(await cache.find(one.sha256)).toMatchObject({ size: 10, contentType: 'image/png' });
    expect(database.listMedia()).toEqual([{ sha256: one.sha256, size: 10, contentType: 'image/png' }]);
    expect((await cache.usage()).cacheBytes).toBe(10);
  });

  test('does not take what is gone, or what has another hash', async () => {
    const { cache, createAsset: asset } = await make();
    const one = asset('ten bytes!');
    const gone = { ...one, sha256: '0'.repeat(64), url: one.url.slice(0, -8) };
    await expect(cache.fetch(gone, signal)).rejects.toMatchObject({ code: 'asset.gone' });
    const wrong = { ...one, sha256: '0'.repeat(64) };
    await expect(cache.fetch(wrong, signal)).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
    expect(cache.cachedHashes().size).toBe(0);
  });

  test('throws away what is damaged, and can fetch it again', async () => {
    const { cache, database, createAsset: asset, damage } = await make();
    const one = asset('ten bytes!');
    await cache.fetch(one, signal);
    expect(await cache.verify(one.sha256)).toBe(true);
    damage(one.sha256);
    expect(await cache.verify(one.sha256)).toBe(false);
    expect(cache.cachedHashes().size).toBe(0);
    expect(database.listMedia()).toEqual([]);
    await cache.fetch(one, signal);
    expect(await cache.verify(one.sha256, signal)).toBe(true);
    damage(one.sha256);
    expect(await cache.verify(one.sha256, signal)).toBe(false);
  });

  test('makes room by deleting what no manifest names, least recently shown first', async () => {
    const { cache, database, createAsset: asset } = await make();
    const [named, shown, old, big] = ['named 0123', 'shown 0123', 'old 012345', 'big 012345'].map((n) =>
      asset(n),
    );
    const manifest = buildManifest({ playlists: {} });
    database.saveTargetManifest({ ...manifest, assets: [named!] });
    for (const one of [named!, shown!, old!]) {
      await cache.fetch(one, signal);
    }
    database.savePlayStart(createShowing('play_1', shown!), 1_000, null);
    database.savePlayEnd(createShowing('play_1', shown!), 1_000, END, null);
    await cache.fetch(big!, signal);
    expect([...cache.cachedHashes()].toSorted()).toEqual(
      [named!, shown!, big!].map((one) => one.sha256).toSorted(),
    );
  });

  test('deletes nothing that is prepared or on the screen, whatever the manifests say', async () => {
    const { cache, database, createAsset: asset } = await make();
    const [seen, next, old] = ['seen 01234', 'next 01234', 'old 012345'].map((name) => asset(name));
    for (const one of [seen!, next!, old!]) {
      await cache.fetch(one, signal);
    }
    const onScreen = createShowing('play_1', seen!);
    database.savePreparedShowing(onScreen, null);
    database.savePlayStart(onScreen, 1_000, null);
    database.savePreparedShowing(createShowing('play_2', next!), null);
    await cache.fetch(asset('new 012345'), signal);
    expect(cache.cachedHashes()).toEqual(
      new Set([seen!, next!, asset('new 012345')].map((one) => one.sha256)),
    );
    await expect(cache.fetch(asset('more than there is room'), signal)).rejects.toMatchObject({
      code: 'disk.full',
    });
    database.savePlayEnd(onScreen, 1_000, END, null);
    expect(await cache.evict('all_unreferenced')).toContain(seen!.sha256);
    expect([...cache.cachedHashes()]).toEqual([next!.sha256]);
  });

  test('says that the disk is full when nothing can be deleted, and keeps what it has', async () => {
    const { cache, database, createAsset: asset } = await make();
    const all = ['one 012345', 'two 012345', 'three 0123'].map((name) => asset(name));
    database.saveTargetManifest({ ...buildManifest({ playlists: {} }), assets: all });
    for (const one of all) {
      await cache.fetch(one, signal);
    }
    await expect(cache.fetch(asset('four'), signal)).rejects.toMatchObject({ code: 'disk.full' });
    expect(cache.cachedHashes().size).toBe(3);
  });

  test('drops a file that is named when it is told to, and can fetch it again', async () => {
    const { cache, database, createAsset: asset } = await make();
    const one = asset('ten bytes!');
    database.saveTargetManifest({ ...buildManifest({ playlists: {} }), assets: [one] });
    await cache.fetch(one, signal);
    await cache.remove(one.sha256);
    expect(cache.cachedHashes().size).toBe(0);
    expect(await cache.find(one.sha256)).toBe(null);
    expect(database.listMedia()).toEqual([]);
    await cache.fetch(one, signal);
    expect(await cache.verify(one.sha256)).toBe(true);
  });

  test('erases everything that no manifest names', async () => {
    const { cache, createAsset: asset } = await make();
    const one = asset('ten bytes!');
    await cache.fetch(one, signal);
    expect(await cache.evict('over_budget')).toEqual([]);
    expect(await cache.evict('all_unreferenced')).toEqual([one.sha256]);
    expect(cache.cachedHashes().size).toBe(0);
  });
});
