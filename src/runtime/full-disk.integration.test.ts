import type { HeartbeatRequest, Play } from '@placard/protocol';
import { expect, test, vi } from 'vitest';
import { mountSmallDisk } from '../../test/support/test-disks.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { buildManifest } from '../../test/support/manifests.ts';
import { createMemoryCloud } from '../../test/support/memory-cloud.ts';
import { createMemoryMediaCache } from '../../test/support/memory-media-cache.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import { openPlayerDatabase } from '../../test/support/open-player-database.ts';
import { createPlayerHarness } from '../../test/support/player-harness.ts';

vi.setConfig({ testTimeout: 120_000 });

const ITEM_MS = 10_000;

/** A player that plays three images from a small disk of its own. */
async function createPlayerOn(dir: string) {
  const clock = createManualClock();
  let database = openPlayerDatabase(dir);
  const cloud = createMemoryCloud({ clock });
  const media = createMemoryMediaCache({ index: createMemoryDatabase(), maxCacheBytes: null });
  const player = createPlayerHarness({
    clock,
    get database() {
      return database;
    },
    media,
    cloud,
  });
  for (const name of ['a', 'b', 'c']) {
    media.setDownload(`http://cdn.test/${name}.png`, Buffer.from(name));
  }
  cloud.setManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a', 'b', 'c'] } }));
  player.start();
  cloud.confirmPairing();
  await clock.advanceUntil(() => player.stage.shown.length > 2, 60_000);
  return {
    clock,
    cloud,
    media,
    player,
    /** Kills and restarts the runtime; with `page` gone, the whole device. */
    restart: (page: 'stays' | 'gone') => {
      if (page === 'stays') {
        player.kill();
      } else {
        player.powerCut();
      }
      database.close();
      database = openPlayerDatabase(dir);
      player.start();
    },
    /** Also fills the space that the database's open WAL has reserved. */
    fill: (disk: { fill(): void }) => {
      disk.fill();
      const big = buildManifest({ playlists: { pl: Array.from({ length: 200 }, (_, n) => `n${n}`) } });
      for (let i = 0; i < 5_000; i++) {
        try {
          database.saveTargetManifest({ ...big, revision: `r${i}` });
        } catch {
          return;
        }
      }
      throw new Error('the disk does not fill');
    },
  };
}

/** Every reported time matches the screen. */
function expectTimesMatch(plays: Play[], shown: { id: string; atMs: number }[]) {
  const at = new Map(shown.map((one) => [one.id, one.atMs]));
  for (const play of plays) {
    const { id, started_at, ended_at, duration_ms } = play;
    expect(Date.parse(started_at), id).toBe(at.get(id));
    expect(duration_ms, id).toBeLessThanOrEqual(ITEM_MS);
    expect(Date.parse(ended_at) - Date.parse(started_at), id).toBeLessThanOrEqual(ITEM_MS);
  }
}

/** The number of dropped plays that the player reports. */
const reportedDroppedCount = (beats: HeartbeatRequest[]) =>
  beats.at(-1)?.state.faults.find((fault) => fault.code === 'plays.dropped')?.facts?.count;

test('writes rejected by a full disk are done completely and in order once it has space', async ({
  skip,
}) => {
  const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
  const { clock, cloud, player, fill, restart } = await createPlayerOn(disk.dir);
  fill(disk);
  await clock.advance(10 * 60_000);
  expect(cloud.received.heartbeats.at(-1)?.state.faults).toMatchObject([
    { code: 'disk.full', facts: { plays_unwritten: expect.any(Number) } },
  ]);
  disk.free();
  cloud.unreachable = true;
  await clock.advance(2 * ITEM_MS);
  restart('gone');
  const cut = player.stage.shown.length - 1;
  cloud.unreachable = false;
  await clock.advance(60_000);
  const ended = player.stage.shown.slice(0, -3).map((one) => one.id);
  expect(ended.filter((id) => !cloud.received.plays.has(id))).toEqual([]);
  const plays = [...cloud.received.plays.values()];
  expectTimesMatch(plays, player.stage.shown);
  const short = plays.filter((play) => play.outcome !== 'completed' || play.duration_ms !== ITEM_MS);
  expect(short).toMatchObject([{ id: player.stage.shown[cut]!.id, outcome: 'interrupted' }]);
  expect(player.status()).toMatchObject({ faults: [], plays_dropped: 0 });
});

test.for(['stays', 'gone'] as const)(
  'a restart on a full disk, where the page %s, invents no time and counts lost plays',
  async (page, { skip }) => {
    const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
    const { clock, cloud, player, fill, restart } = await createPlayerOn(disk.dir);
    fill(disk);
    const before = player.stage.shown.length;
    await clock.advance(10 * 60_000 - 3_000);
    restart(page);
    await clock.advance(60_000);
    disk.free();
    await clock.advance(3 * 60_000);
    const { shown } = player.stage;
    expectTimesMatch([...cloud.received.plays.values()], shown);
    const lost = shown.slice(0, -3).filter((one) => !cloud.received.plays.has(one.id));
    expect(lost.length).toBeGreaterThan(50);
    expect(shown.indexOf(lost[0]!)).toBeGreaterThanOrEqual(before - 1);
    // Without the page, what was shown is unknown.
    const counted = page === 'stays' ? lost.length : undefined;
    expect(reportedDroppedCount(cloud.received.heartbeats)).toBe(counted);
  },
);

test('a device deleted while the disk is full deletes its own files to make room, and shows a code', async ({
  skip,
}) => {
  const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
  const { clock, cloud, media, player, fill } = await createPlayerOn(disk.dir);
  const drop = media.remove.bind(media);
  // The test's filler stands for the cached files.
  media.remove = async (sha256) => {
    disk.free();
    await drop(sha256);
  };
  fill(disk);
  cloud.unpair();
  await clock.advance(30_000);
  expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: expect.any(String) });
  expect(media.cachedHashes().size).toBe(0);
});
