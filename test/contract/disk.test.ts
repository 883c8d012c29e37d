import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acquireDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import type { PlayerDatabase } from '../../src/core/ports.ts';
import { mountFailingDisk, mountSmallDisk } from '../support/test-disks.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { sha256Of, buildManifest } from '../support/manifests.ts';
import { createMediaCacheFixture } from '../support/media-cache-fixture.ts';
import { createMemoryCloud } from '../support/memory-cloud.ts';
import { createMemoryMediaCache } from '../support/memory-media-cache.ts';
import { openPlayerDatabase } from '../support/open-player-database.ts';
import { createPlayerHarness } from '../support/player-harness.ts';
import { waitUntil } from '../support/wait-until.ts';

const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** Writes until the disk is full; the first pages of the WAL may still fit. */
function writeUntilFull(database: PlayerDatabase): unknown {
  for (let i = 0; i < 5_000; i++) {
    try {
      database.saveTargetManifest(
        buildManifest({
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

/** A player with its database on this disk, and its files elsewhere. */
function startPlayerOn(dir: string) {
  const clock = createManualClock();
  const database = openPlayerDatabase(dir);
  const media = createMemoryMediaCache({ index: database, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  return { clock, database, media, cloud, player: createPlayerHarness({ clock, database, media, cloud }) };
}

describe('a full disk', () => {
  test('does not keep a player from starting and reading its data', ({ skip }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    acquireDataFolder(disk.dir).release();
    const before = openPlayerDatabase(disk.dir);
    before.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    before.close();
    disk.fill();

    const folder = acquireDataFolder(disk.dir);
    onTestFinished(() => folder.release());
    expect(() => acquireDataFolder(disk.dir)).toThrow(expect.objectContaining({ code: 'data.locked' }));
    expect(openPlayerDatabase(disk.dir).readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
  });

  test('is a fault of the database, and no stored data is lost', ({ skip }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    const database = openPlayerDatabase(disk.dir);
    database.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    disk.fill();
    expect(writeUntilFull(database)).toMatchObject({ code: 'disk.full' });
    expect(database.readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
    disk.free();
    database.saveLastGoodTime(7);
    expect(database.readLastGoodTime()).toBe(7);
  });

  test('lets a player show its pairing code and why it cannot be paired, and pairs it when there is space', async ({
    skip,
  }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    const { clock, media, cloud, player } = startPlayerOn(disk.dir);
    media.setDownload('http://cdn.test/a.png', Buffer.from('a'));
    cloud.setManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    player.start();
    await clock.advance(1_000);
    disk.fill();
    cloud.confirmPairing();
    await clock.advance(60_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: 'disk.full' });
    expect(player.status()).toMatchObject({ state: 'pairing', faults: [{ code: 'disk.full' }] });
    expect(player.log.events).not.toContainEqual(expect.objectContaining({ event: 'service.failed' }));
    disk.free();
    await clock.advance(120_000);
    expect(player.status()).toMatchObject({ state: 'paired', held_revision: 'r1', faults: [] });
  });

  test('is a fault of the media cache, which keeps its files and continues when there is space', async ({
    skip,
  }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    const folder = await createMediaCacheFixture(join(disk.dir, 'media'));
    const database = openPlayerDatabase(disk.dir);
    const cache = await folder.openCache(database);
    const small = folder.createAsset('small', randomBytes(100_000));
    const large = folder.createAsset('large', randomBytes(1_500_000));
    database.saveTargetManifest({ ...buildManifest({ playlists: {} }), assets: [small, large] });
    await cache.fetch(small, signal);
    disk.fill();
    await expect(cache.fetch(large, signal)).rejects.toMatchObject({ code: 'disk.full' });
    expect(await cache.verify(small.sha256)).toBe(true);
    disk.free();
    await cache.fetch(large, signal);
    expect(await cache.verify(large.sha256)).toBe(true);
  });
});

describe('a disk that other programs have filled', () => {
  test('is freed by deleting unreferenced media, although the database cannot be written', async ({
    skip,
  }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    const folder = await createMediaCacheFixture(join(disk.dir, 'media'));
    const database = openPlayerDatabase(disk.dir);
    const cache = await folder.openCache(database, { minFreeBytes: 200_000 });
    const [old, next] = ['old', 'next'].map((name) => folder.createAsset(name, randomBytes(900_000)));
    await cache.fetch(old!, signal);
    database.saveTargetManifest({ ...buildManifest({ playlists: {} }), assets: [next!] });
    disk.fill();
    writeUntilFull(database);
    await cache.fetch(next!, signal).catch(() => {});
    expect(cache.cachedHashes().has(old!.sha256)).toBe(false);
    expect((await cache.usage()).freeBytes).toBeGreaterThan(500_000);
  });
});

test('a disk that is too small for the manifest keeps the free space that the player itself needs', async ({
  skip,
}) => {
  const disk = mountSmallDisk(12) ?? skip('no right to mount a disk');
  const folder = await createMediaCacheFixture(join(disk.dir, 'media'));
  const clock = createManualClock();
  const database = openPlayerDatabase(disk.dir);
  const minFreeBytes = 6_000_000;
  const media = await folder.openCache(database, { minFreeBytes });
  const cloud = createMemoryCloud({ clock });
  const player = createPlayerHarness({ clock, database, media, cloud });
  let running = 0;
  const fetch = media.fetch.bind(media);
  media.fetch = (asset, signal) => {
    running += 1;
    return fetch(asset, signal).finally(() => (running -= 1));
  };
  const names = Array.from({ length: 32 }, (_, index) => `film ${index}`);
  const assets = names.map((name) => folder.createAsset(name, randomBytes(500_000)));
  const has = (name: string) =>
    assets.some((asset) => asset.id === `asset_${name}` && media.cachedHashes().has(asset.sha256));
  /** Fails before the test's timeout, to report the last state. */
  const shows = (revision: string, own: string[]) =>
    waitUntil(
      `the files that fit of ${revision}`,
      async () => {
        await clock.advance(0);
        const { held_revision: held, blocked_by: blocked } = player.status();
        const there = held === revision && blocked === 'disk.full' && own.slice(0, 8).every(has);
        if (there) {
          return true;
        }
        const { freeBytes } = await media.usage();
        const seen = { held, blocked, running, freeBytes, files: names.filter(has), at: clock.monoMs() };
        // The clock is not advanced during a download: the WAL grows with time, and on a busy machine it would use the
        // space of the files before they are complete.
        if (running === 0) {
          await clock.advance(1_000);
        }
        throw new Error(JSON.stringify(seen));
      },
      40_000,
      5,
    );

  const [before, after] = [names.slice(0, 16), names.slice(8)];
  cloud.setManifest(buildManifest({ revision: 'r1', playlists: { pl: before }, assets }));
  player.start();
  cloud.confirmPairing();
  await shows('r1', before);
  cloud.setManifest(buildManifest({ revision: 'r2', playlists: { pl: after }, assets }));
  await shows('r2', after);
  await clock.advance(HOUR_MS);
  expect(cloud.received.plays.size).toBeGreaterThan(350);
  expect(player.log.events.filter(({ event }) => event.endsWith('not_written'))).toEqual([]);
  expect((await media.usage()).freeBytes).toBeGreaterThan(minFreeBytes / 6);
  for (const sha256 of media.cachedHashes()) {
    expect(await media.verify(sha256)).toBe(true);
  }
}, 120_000);

describe('a disk that cannot be written', () => {
  test('stops neither the picture nor the player, and the fault ends with it', async ({ skip }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    const { clock, database, media, cloud, player } = startPlayerOn(disk.dir);
    for (const name of ['a', 'b', 'c']) {
      media.setDownload(`http://cdn.test/${name}.png`, Buffer.from(name));
    }
    cloud.setManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a', 'b'] } }));
    player.start();
    cloud.confirmPairing();
    await clock.advanceUntil(() => player.stage.current !== null, 60_000);

    disk.fill();
    writeUntilFull(database);
    const shown = player.stage.shown.length;
    await clock.advance(60_000);
    cloud.sendCommand({ id: 'cmd_1', command: 'REBOOT', expires_at: '2027-01-01T00:00:00.000Z' });
    cloud.setManifest(buildManifest({ revision: 'r2', playlists: { pl: ['c'] } }));
    await clock.advance(60_000);
    expect(player.stage.shown.length).toBeGreaterThanOrEqual(shown + 11);
    expect(player.status()).toMatchObject({
      connection: 'online',
      faults: [expect.objectContaining({ code: 'disk.full' })],
    });
    expect(player.machine.reboots).toBe(0);

    disk.free();
    await clock.advance(120_000);
    expect(player.status()).toMatchObject({ held_revision: 'r2', faults: [] });
    expect(player.stage.current).toBe(`/media/${sha256Of('c')}`);
    expect(player.machine.reboots).toBe(1);
  });
});

test('a player that cannot be paired because its disk has become read-only reports it', ({ skip }) => {
  const disk = mountFailingDisk() ?? skip('no right to make a disk that fails');
  const database = openPlayerDatabase(disk.dir);
  disk.fail();
  expect(() => database.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' })).toThrow(
    expect.objectContaining({ code: 'disk.readonly' }),
  );
});

describe('a disk that an error makes read-only during playback', () => {
  test('stops neither the picture nor the player, and its data is there after the repair', async ({
    skip,
  }) => {
    const disk = mountFailingDisk() ?? skip('no right to make a disk that fails');
    const clock = createManualClock();
    let database = openPlayerDatabase(disk.dir);
    const media = createMemoryMediaCache({ index: database, maxCacheBytes: null });
    const cloud = createMemoryCloud({ clock });
    const player = createPlayerHarness({ clock, database, media, cloud });
    for (const name of ['a', 'b']) {
      media.setDownload(`http://cdn.test/${name}.png`, Buffer.from(name));
    }
    cloud.setManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a', 'b'] } }));
    player.start();
    cloud.confirmPairing();
    await clock.advanceUntil(() => player.stage.current !== null, 60_000);
    await clock.advance(15_000);
    cloud.unreachable = true;
    await clock.advance(30_000);
    const pendingPlayIds = database.readPendingPlays(100).map((play) => play.id);
    expect(pendingPlayIds.length).toBeGreaterThan(1);

    disk.fail();
    const shown = player.stage.shown.length;
    await clock.advance(60_000);
    expect(player.stage.shown.length).toBeGreaterThanOrEqual(shown + 5);
    expect(player.status()).toMatchObject({
      faults: expect.arrayContaining([expect.objectContaining({ code: 'disk.readonly' })]),
    });

    await player.stop();
    database.close();
    disk.repair();
    database = openPlayerDatabase(disk.dir);
    expect(database.readIdentity()).not.toBe(null);
    expect(database.readManifests().held?.revision).toBe('r1');
    const found = database.readPendingPlays(100).map((play) => play.id);
    expect(pendingPlayIds.filter((id) => !found.includes(id))).toEqual([]);
  });
});
