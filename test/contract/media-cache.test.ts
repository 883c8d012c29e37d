import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestAsset } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import type { PlayDraft } from '../../src/core/playback/plays.ts';
import type { MediaCache, Store } from '../../src/core/ports.ts';
import { imageAsset, sketchManifest } from '../support/manifests.ts';
import { createMediaFolder } from '../support/media-folder.ts';
import { createMemoryMedia } from '../support/memory-media.ts';
import { createMemoryStore } from '../support/memory-store.ts';

interface Subject {
  cache: MediaCache;
  store: Store;
  /** An asset that can be downloaded. */
  readonly asset: (name: string, bytes?: string) => ManifestAsset;
  readonly damage: (sha256: string) => void;
}

const MAX_BYTES = 30;

async function onDisk(): Promise<Subject> {
  const { dir, open, asset } = await createMediaFolder();
  const store = createMemoryStore();
  return {
    cache: await open(store, { maxCacheBytes: MAX_BYTES }),
    store,
    asset,
    damage: (sha256) => writeFileSync(join(dir, sha256), 'damaged!!!'),
  };
}

async function inMemory(): Promise<Subject> {
  const store = createMemoryStore();
  const cache = createMemoryMedia({ index: store, maxCacheBytes: MAX_BYTES });
  return {
    cache,
    store,
    asset(name, bytes = name) {
      const url = `http://cdn.test/${name}`;
      cache.serve(url, Buffer.from(bytes));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return imageAsset(name, { sha256, size: bytes.length, url });
    },
    damage: (sha256) => cache.damage(sha256),
  };
}

const signal = new AbortController().signal;

const draftOf = (id: string, asset: ManifestAsset): PlayDraft => ({
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
    const { cache, store, asset } = await make();
    const one = asset('ten bytes!');
    await cache.fetch(one, signal);
    await cache.fetch(one, signal);
    expect([...cache.held()]).toEqual([one.sha256]);
    expect(await cache.find(one.sha256)).toMatchObject({ size: 10, contentType: 'image/png' });
    expect(store.listMedia()).toEqual([{ sha256: one.sha256, size: 10, contentType: 'image/png' }]);
    expect((await cache.usage()).cacheBytes).toBe(10);
  });

  test('does not take what is gone, or what has another hash', async () => {
    const { cache, asset } = await make();
    const one = asset('ten bytes!');
    const gone = { ...one, sha256: '0'.repeat(64), url: one.url.slice(0, -8) };
    await expect(cache.fetch(gone, signal)).rejects.toMatchObject({ code: 'asset.gone' });
    const wrong = { ...one, sha256: '0'.repeat(64) };
    await expect(cache.fetch(wrong, signal)).rejects.toMatchObject({ code: 'asset.hash_mismatch' });
    expect(cache.held().size).toBe(0);
  });

  test('throws away what is damaged, and can fetch it again', async () => {
    const { cache, store, asset, damage } = await make();
    const one = asset('ten bytes!');
    await cache.fetch(one, signal);
    expect(await cache.verify(one.sha256)).toBe(true);
    damage(one.sha256);
    expect(await cache.verify(one.sha256)).toBe(false);
    expect(cache.held().size).toBe(0);
    expect(store.listMedia()).toEqual([]);
    await cache.fetch(one, signal);
    expect(await cache.verify(one.sha256, signal)).toBe(true);
    damage(one.sha256);
    expect(await cache.verify(one.sha256, signal)).toBe(false);
  });

  test('makes room by deleting what no manifest names, least recently shown first', async () => {
    const { cache, store, asset } = await make();
    const [named, shown, old, big] = ['named 0123', 'shown 0123', 'old 012345', 'big 012345'].map((n) =>
      asset(n),
    );
    const manifest = sketchManifest({ playlists: {} });
    store.saveTarget({ ...manifest, assets: [named!] });
    for (const one of [named!, shown!, old!]) await cache.fetch(one, signal);
    store.mediaShown(shown!.sha256, 1_000);
    await cache.fetch(big!, signal);
    expect([...cache.held()].toSorted()).toEqual([named!, shown!, big!].map((one) => one.sha256).toSorted());
  });

  test('deletes nothing that is prepared or on the screen, whatever the manifests say', async () => {
    const { cache, store, asset } = await make();
    const [seen, next, old] = ['seen 01234', 'next 01234', 'old 012345'].map((name) => asset(name));
    for (const one of [seen!, next!, old!]) await cache.fetch(one, signal);
    const onScreen = draftOf('play_1', seen!);
    store.playPrepared(onScreen, null);
    store.playStarted(onScreen, 1_000, null);
    store.playPrepared(draftOf('play_2', next!), null);
    await cache.fetch(asset('new 012345'), signal);
    expect(cache.held()).toEqual(new Set([seen!, next!, asset('new 012345')].map((one) => one.sha256)));
    await expect(cache.fetch(asset('more than there is room'), signal)).rejects.toMatchObject({
      code: 'disk.full',
    });
    const end = { endedAtMs: 2_000, durationMs: 1_000, outcome: 'completed' as const, reason: null };
    store.playEnded(onScreen, 1_000, end, null);
    expect(await cache.evict('all_unnamed')).toContain(seen!.sha256);
    expect([...cache.held()]).toEqual([next!.sha256]);
  });

  test('says that the disk is full when nothing can be deleted, and keeps what it has', async () => {
    const { cache, store, asset } = await make();
    const all = ['one 012345', 'two 012345', 'three 0123'].map((name) => asset(name));
    store.saveTarget({ ...sketchManifest({ playlists: {} }), assets: all });
    for (const one of all) await cache.fetch(one, signal);
    await expect(cache.fetch(asset('four'), signal)).rejects.toMatchObject({ code: 'disk.full' });
    expect(cache.held().size).toBe(3);
  });

  test('drops a file that is named when it is told to, and can fetch it again', async () => {
    const { cache, store, asset } = await make();
    const one = asset('ten bytes!');
    store.saveTarget({ ...sketchManifest({ playlists: {} }), assets: [one] });
    await cache.fetch(one, signal);
    await cache.drop(one.sha256);
    expect(cache.held().size).toBe(0);
    expect(await cache.find(one.sha256)).toBe(null);
    expect(store.listMedia()).toEqual([]);
    await cache.fetch(one, signal);
    expect(await cache.verify(one.sha256)).toBe(true);
  });

  test('erases everything that no manifest names', async () => {
    const { cache, asset } = await make();
    const one = asset('ten bytes!');
    await cache.fetch(one, signal);
    expect(await cache.evict('over_budget')).toEqual([]);
    expect(await cache.evict('all_unnamed')).toEqual([one.sha256]);
    expect(cache.held().size).toBe(0);
  });
});
