import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { PlayerDatabase } from '../core/ports.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import type { ManualClock } from '../../test/support/manual-clock.ts';
import { rule } from '../../test/support/manifests.ts';
import type { ManifestSpec } from '../../test/support/manifests.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import type { PlayerHarness } from '../../test/support/player-harness.ts';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';

vi.setConfig({ testTimeout: 120_000 });

const MIDNIGHT = Date.UTC(2026, 10, 20);
const HOUR = 3_600_000;

/** A store's day: closed at night, breakfast, an all-day playlist of one-minute items, happy hour across midnight. */
const DAY: ManifestSpec = {
  revision: 'r1',
  timezone: 'Europe/Berlin',
  playlists: {
    loop: [
      ['loop1', 60],
      ['loop2', 60],
    ],
    breakfast: [['egg', 120]],
    happy: [['beer', 300]],
    promo: [['sale', 90]],
  },
  basePlaylistId: null,
  rules: [
    rule('open', 'loop', '08:00', '22:00'),
    rule('breakfast', 'breakfast', '08:00', '10:30', { priority: 10 }),
    rule('happy', 'happy', '22:00', '01:00', { priority: 5 }),
  ],
};

/** A simulated player at midnight. */
const setUp = (options: Parameters<typeof createSimulatedPlayer>[0] = {}) =>
  createSimulatedPlayer({ ...options, clock: createManualClock(MIDNIGHT, 3) });

const clockText = (ms: number) => new Date(ms).toISOString().slice(11, 23);

/** Changes from one playlist to another, as `HH:MM:SS.mmm name` in UTC. */
function timeline(player: PlayerHarness, names: ReadonlyMap<string, string>): string[] {
  const lines: string[] = [];
  let last = '';
  for (const one of player.stage.shown) {
    const name = (names.get(one.url) ?? '').replace(/\d+$/, '');
    if (name !== last) {
      lines.push(`${clockText(one.atMs)} ${name}`);
    }
    last = name;
  }
  return lines;
}

const advanceTo = (clock: ManualClock, hours: number) =>
  clock.advance(MIDNIGHT + hours * HOUR - clock.wallMs());

test('a day of schedules, outages and reboots gives exactly this timeline and these plays', async () => {
  const { clock, database, cloud, player, publish, names } = setUp({ fixedRandom: 0.5 });
  publish(DAY);
  player.start();
  cloud.confirmPairing();
  await advanceTo(clock, 3);
  expect(player.stage.screen).toMatchObject({ kind: 'idle', device_name: 'Lobby' });

  await advanceTo(clock, 11);
  cloud.unreachable = true;
  publish({ ...DAY, revision: 'r2', playlists: { ...DAY.playlists, loop: [['new', 60]] } });
  await advanceTo(clock, 13.5);
  expect(player.status()).toMatchObject({ connection: 'offline', held_revision: 'r1' });
  player.kill();
  await clock.advance(2_000);
  player.start();
  await advanceTo(clock, 14);
  cloud.unreachable = false;
  await advanceTo(clock, 15);
  expect(player.status()).toMatchObject({ connection: 'online', held_revision: 'r2' });

  await advanceTo(clock, 18.01);
  player.powerCut();
  await clock.advance(90_000);
  player.start();
  await advanceTo(clock, 25);

  expect(timeline(player, names)).toEqual([
    '07:00:00.050 egg',
    '09:30:00.000 loop',
    // The socket is opened again from 13:30:02 on with its back-off, 5 s doubled up to 45 s; a random value of one half takes
    // 55 %: 2.75 + 5.5 + 11 + 22 s, then 71 times 24.75 s, is the first one past 14:00. The page takes 50 ms to prepare.
    '14:00:00.550 new',
    '21:00:00.000 beer',
  ]);
  expect(player.stage.isEmpty).toBe(true);
  expect(player.stage.screen).toMatchObject({ kind: 'idle' });

  const plays = [...cloud.received.plays.values()].toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const waiting = database.readPendingPlays(500).map((play) => play.id);
  const shownIds = player.stage.shown.map((one) => one.id);
  const open = database.readUnfinishedPlays().open.map((one) => one.showing.id);
  const known = new Set([...plays.map((play) => play.id), ...waiting, ...open]);
  expect(shownIds.filter((id) => !known.has(id))).toEqual([]);
  expect(cloud.received.duplicatePlays).toBe(0);
  const cut = plays.filter((play) => play.outcome === 'interrupted');
  const times = (play: (typeof cut)[number]) =>
    [play.started_at, play.ended_at].map((at) => clockText(Date.parse(at)));
  expect(cut.map((play) => [play.content_id, ...times(play), play.reason])).toEqual([
    ['asset_egg', '09:28:00.050', '09:30:00.000', 'schedule'],
    ['asset_loop1', '14:00:00.000', '14:00:00.550', 'manifest'],
    // The power was cut at 18:00:36; the time had been saved every 10 s since 13:30:02.
    ['asset_new', '18:00:00.550', '18:00:32.000', 'page_lost'],
    // One-minute items from 18:02:06 on, when the device was running again.
    ['asset_new', '20:59:06.050', '21:00:00.000', 'schedule'],
  ]);
  expect(plays.filter((play) => play.outcome === 'failed')).toEqual([]);
});

const MOST_GROWTH_BYTES = 5 * 1024 * 1024;

test('a day offline with 8,600 pictures do not grow the memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = z.function({ input: [], output: z.void() }).parse(runInNewContext('gc'));
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const innerDatabase = createMemoryDatabase();
  let ended = 0;
  // Plays that would be on disk are only counted, not kept.
  const database: PlayerDatabase = {
    ...innerDatabase,
    savePreparedShowing: (_showing, position) => innerDatabase.savePreparedShowing(null, position),
    savePlayEnd: () => void (ended += 1),
    savePlayStart: () => {},
    saveSample: () => {},
  };
  const { clock, cloud, player, publish } = setUp({ database, maxShownItems: 10 });
  publish({ playlists: { loop: ['a', 'b', 'c', 'd', 'e'] } });
  player.start();
  cloud.confirmPairing();
  await clock.advance(2 * HOUR);
  cloud.unreachable = true;
  await clock.advance(2 * HOUR);
  const before = heap();
  ended = 0;
  await clock.advance(24 * HOUR);
  // The nightly page refresh takes a moment.
  expect(ended).toBe(8_639);
  expect(heap() - before).toBeLessThan(MOST_GROWTH_BYTES);
});
