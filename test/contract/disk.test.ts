import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import type { Store } from '../../src/core/ports.ts';
import { failingDisk, smallDisk } from '../support/bad-disk.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { hashOf, sketchManifest } from '../support/manifests.ts';
import { createMediaFolder } from '../support/media-folder.ts';
import { createMemoryCloud } from '../support/memory-cloud.ts';
import { createMemoryMedia } from '../support/memory-media.ts';
import { openStore } from '../support/open-store.ts';
import { createPlayerBox } from '../support/player-box.ts';
import { until } from '../support/until.ts';

const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** Writes until the disk takes no more; the first pages of a log may still fit. */
function writeUntilFull(store: Store): unknown {
  for (let i = 0; i < 5_000; i++) {
    try {
      store.saveTarget(
        sketchManifest({
          revision: `r${i}`,
          playlists: { pl: Array.from({ length: 200 }, (_, n) => `n${n}`) },
        }),
      );
    } catch (error) {
      return error;
    }
  }
  return null;
}

/** A player that keeps its store on this disk, and its files elsewhere. */
function boxOn(dir: string) {
  const clock = createManualClock();
  const store = openStore(dir);
  const media = createMemoryMedia({ index: store, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  return { clock, store, media, cloud, box: createPlayerBox({ clock, store, media, cloud }) };
}

describe('a full disk', () => {
  test('lets a player that starts on it have its folder and read what it kept', ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    takeDataFolder(disk.dir).release();
    const before = openStore(disk.dir);
    before.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    before.close();
    disk.fill();

    const folder = takeDataFolder(disk.dir);
    onTestFinished(() => folder.release());
    expect(() => takeDataFolder(disk.dir)).toThrow(expect.objectContaining({ code: 'data.locked' }));
    expect(openStore(disk.dir).readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
  });

  test('is a fault of the store, and nothing that was kept is lost', ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const store = openStore(disk.dir);
    store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    disk.fill();
    expect(writeUntilFull(store)).toMatchObject({ code: 'disk.full' });
    expect(store.readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
    disk.free();
    store.saveLastGoodTime(7);
    expect(store.readLastGoodTime()).toBe(7);
  });

  test('lets a box show its code and say why it cannot be paired, and pairs it when there is room', async ({
    skip,
  }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const { clock, media, cloud, box } = boxOn(disk.dir);
    media.serve('http://cdn.test/a.png', Buffer.from('a'));
    cloud.setManifest(sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    box.start();
    await clock.advance(1_000);
    disk.fill();
    cloud.confirm();
    await clock.advance(60_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: 'disk.full' });
    expect(box.status()).toMatchObject({ state: 'pairing', faults: [{ code: 'disk.full' }] });
    expect(box.log.events).not.toContainEqual(expect.objectContaining({ event: 'service.failed' }));
    disk.free();
    await clock.advance(120_000);
    expect(box.status()).toMatchObject({ state: 'paired', held_revision: 'r1', faults: [] });
  });

  test('is a fault of the media cache, which keeps what it has and goes on when there is room', async ({
    skip,
  }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const folder = await createMediaFolder(join(disk.dir, 'media'));
    const store = openStore(disk.dir);
    const cache = await folder.open(store);
    const small = folder.asset('small', randomBytes(100_000));
    const large = folder.asset('large', randomBytes(1_500_000));
    store.saveTarget({ ...sketchManifest({ playlists: {} }), assets: [small, large] });
    await cache.fetch(small, signal);
    disk.fill();
    await expect(cache.fetch(large, signal)).rejects.toMatchObject({ code: 'disk.full' });
    expect(await cache.verify(small.sha256)).toBe(true);
    disk.free();
    await cache.fetch(large, signal);
    expect(await cache.verify(large.sha256)).toBe(true);
  });
});

describe('a disk that others have filled', () => {
  test('gets room from what nobody names, although not even that can be written down', async ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const folder = await createMediaFolder(join(disk.dir, 'media'));
    const store = openStore(disk.dir);
    const cache = await folder.open(store, { minFreeBytes: 200_000 });
    const [old, next] = ['old', 'next'].map((name) => folder.asset(name, randomBytes(900_000)));
    await cache.fetch(old!, signal);
    store.saveTarget({ ...sketchManifest({ playlists: {} }), assets: [next!] });
    disk.fill();
    writeUntilFull(store);
    await cache.fetch(next!, signal).catch(() => {});
    expect(cache.held().has(old!.sha256)).toBe(false);
    expect((await cache.usage()).freeBytes).toBeGreaterThan(500_000);
  });
});

test('a disk that is too small for the manifest keeps the room that the player itself needs', async ({
  skip,
}) => {
  const disk = smallDisk(12) ?? skip('no right to mount a disk');
  const folder = await createMediaFolder(join(disk.dir, 'media'));
  const clock = createManualClock();
  const store = openStore(disk.dir);
  const minFreeBytes = 6_000_000;
  const media = await folder.open(store, { minFreeBytes });
  const cloud = createMemoryCloud({ clock });
  const box = createPlayerBox({ clock, store, media, cloud });
  let running = 0;
  const fetch = media.fetch.bind(media);
  media.fetch = (asset, signal) => {
    running += 1;
    return fetch(asset, signal).finally(() => (running -= 1));
  };
  const names = Array.from({ length: 32 }, (_, index) => `film ${index}`);
  const assets = names.map((name) => folder.asset(name, randomBytes(500_000)));
  const has = (name: string) =>
    assets.some((asset) => asset.id === `asset_${name}` && media.held().has(asset.sha256));
  /** Ends before the test does, to say what was seen last. */
  const shows = (revision: string, own: string[]) =>
    until(
      `what fits of ${revision}`,
      async () => {
        await clock.advance(0);
        const { held_revision: held, blocked_by: blocked } = box.status();
        const there = held === revision && blocked === 'disk.full' && own.slice(0, 8).every(has);
        if (there) return true;
        const { freeBytes } = await media.usage();
        const seen = { held, blocked, running, freeBytes, files: names.filter(has), at: clock.mono() };
        // Time stands still while a file is on its way. The log of the database grows with time, and on a busy
        // machine it would take the room of the files before they are there.
        if (running === 0) await clock.advance(1_000);
        throw new Error(JSON.stringify(seen));
      },
      40_000,
      5,
    );

  const [before, after] = [names.slice(0, 16), names.slice(8)];
  cloud.setManifest(sketchManifest({ revision: 'r1', playlists: { pl: before }, assets }));
  box.start();
  cloud.confirm();
  await shows('r1', before);
  cloud.setManifest(sketchManifest({ revision: 'r2', playlists: { pl: after }, assets }));
  await shows('r2', after);
  await clock.advance(HOUR_MS);
  expect(cloud.seen.plays.size).toBeGreaterThan(350);
  expect(box.log.events.filter(({ event }) => event.endsWith('not_written'))).toEqual([]);
  expect((await media.usage()).freeBytes).toBeGreaterThan(minFreeBytes / 6);
  for (const sha256 of media.held()) expect(await media.verify(sha256)).toBe(true);
}, 120_000);

describe('a disk that takes no writes', () => {
  test('stops neither the picture nor the player, and is over when it is over', async ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const { clock, store, media, cloud, box } = boxOn(disk.dir);
    for (const name of ['a', 'b', 'c']) media.serve(`http://cdn.test/${name}.png`, Buffer.from(name));
    cloud.setManifest(sketchManifest({ revision: 'r1', playlists: { pl: ['a', 'b'] } }));
    box.start();
    cloud.confirm();
    await clock.advanceUntil(() => box.stage.current !== null, 60_000);

    disk.fill();
    writeUntilFull(store);
    const shown = box.stage.shown.length;
    await clock.advance(60_000);
    cloud.command({ id: 'cmd_1', command: 'REBOOT', expires_at: '2027-01-01T00:00:00.000Z' });
    cloud.setManifest(sketchManifest({ revision: 'r2', playlists: { pl: ['c'] } }));
    await clock.advance(60_000);
    expect(box.stage.shown.length).toBeGreaterThanOrEqual(shown + 11);
    expect(box.status()).toMatchObject({
      connection: 'online',
      faults: [expect.objectContaining({ code: 'disk.full' })],
    });
    expect(box.machine.reboots).toBe(0);

    disk.free();
    await clock.advance(120_000);
    expect(box.status()).toMatchObject({ held_revision: 'r2', faults: [] });
    expect(box.stage.current).toBe(`/media/${hashOf('c')}`);
    expect(box.machine.reboots).toBe(1);
  });
});

test('a box that cannot be paired because its disk has become read-only says so', ({ skip }) => {
  const disk = failingDisk() ?? skip('no right to make a disk that fails');
  const store = openStore(disk.dir);
  disk.fail();
  expect(() => store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' })).toThrow(
    expect.objectContaining({ code: 'disk.readonly' }),
  );
});

describe('a disk that an error makes read-only while it plays', () => {
  test('stops neither the picture nor the player, and what was kept is there when it is mended', async ({
    skip,
  }) => {
    const disk = failingDisk() ?? skip('no right to make a disk that fails');
    const clock = createManualClock();
    let store = openStore(disk.dir);
    const media = createMemoryMedia({ index: store, maxCacheBytes: null });
    const cloud = createMemoryCloud({ clock });
    const box = createPlayerBox({ clock, store, media, cloud });
    for (const name of ['a', 'b']) media.serve(`http://cdn.test/${name}.png`, Buffer.from(name));
    cloud.setManifest(sketchManifest({ revision: 'r1', playlists: { pl: ['a', 'b'] } }));
    box.start();
    cloud.confirm();
    await clock.advanceUntil(() => box.stage.current !== null, 60_000);
    await clock.advance(15_000);
    cloud.away = true;
    await clock.advance(30_000);
    const kept = store.pendingPlays(100).map((play) => play.id);
    expect(kept.length).toBeGreaterThan(1);

    disk.fail();
    const shown = box.stage.shown.length;
    await clock.advance(60_000);
    expect(box.stage.shown.length).toBeGreaterThanOrEqual(shown + 5);
    expect(box.status()).toMatchObject({
      faults: expect.arrayContaining([expect.objectContaining({ code: 'disk.readonly' })]),
    });

    await box.stop();
    store.close();
    disk.repair();
    store = openStore(disk.dir);
    expect(store.readIdentity()).not.toBe(null);
    expect(store.readManifests().held?.revision).toBe('r1');
    const found = store.pendingPlays(100).map((play) => play.id);
    expect(kept.filter((id) => !found.includes(id))).toEqual([]);
  });
});
