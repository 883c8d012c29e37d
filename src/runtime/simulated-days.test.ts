import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Store } from '../core/ports.ts';
import { createManualClock, type ManualClock } from '../../test/support/manual-clock.ts';
import { hashOf, rule, sketchManifest, type ManifestSketch } from '../../test/support/manifests.ts';
import { createMemoryCloud } from '../../test/support/memory-cloud.ts';
import { createMemoryMedia } from '../../test/support/memory-media.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { createPlayerBox, type PlayerBox } from '../../test/support/player-box.ts';

vi.setConfig({ testTimeout: 120_000 });

const MIDNIGHT = Date.UTC(2026, 10, 20);
const HOUR = 3_600_000;

/** A shop's day: closed at night, breakfast, an all-day loop of a minute an item, happy hour over midnight. */
const DAY: ManifestSketch = {
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
  base: null,
  rules: [
    rule('open', 'loop', '08:00', '22:00'),
    rule('breakfast', 'breakfast', '08:00', '10:30', { priority: 10 }),
    rule('happy', 'happy', '22:00', '01:00', { priority: 5 }),
  ],
};

function house(more: { store?: Store; remember?: number; chance?: number } = {}) {
  const clock = createManualClock(MIDNIGHT, 3);
  const store = more.store ?? createMemoryStore();
  const media = createMemoryMedia({ index: store, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  const names = new Map<string, string>();
  const box = createPlayerBox({
    clock,
    store,
    media,
    cloud,
    ...(more.remember === undefined ? {} : { remember: more.remember }),
    ...(more.chance === undefined ? {} : { chance: more.chance }),
  });
  const publish = (sketch: ManifestSketch) => {
    const manifest = sketchManifest(sketch);
    for (const asset of manifest.assets) {
      const name = asset.id.slice('asset_'.length);
      names.set(`/media/${hashOf(name)}`, name);
      media.serve(asset.url, Buffer.from(name));
    }
    cloud.setManifest(manifest);
  };
  return { clock, store, media, cloud, box, publish, names };
}

const clockText = (ms: number) => new Date(ms).toISOString().slice(11, 23);

/** Where the screen changed from one playlist to another, as `HH:MM:SS.mmm name`, in UTC. */
function timeline(box: PlayerBox, names: ReadonlyMap<string, string>): string[] {
  const lines: string[] = [];
  let last = '';
  for (const one of box.stage.shown) {
    const name = (names.get(one.url) ?? '').replace(/\d+$/, '');
    if (name !== last) lines.push(`${clockText(one.atMs)} ${name}`);
    last = name;
  }
  return lines;
}

const advanceTo = (clock: ManualClock, hours: number) =>
  clock.advance(MIDNIGHT + hours * HOUR - clock.wall());

test('a day of schedules, outages and reboots leaves exactly this behind', async () => {
  const { clock, store, cloud, box, publish, names } = house({ chance: 0.5 });
  publish(DAY);
  box.start();
  cloud.confirm();
  await advanceTo(clock, 3);
  expect(box.stage.screen).toMatchObject({ kind: 'idle', device_name: 'Lobby' });

  await advanceTo(clock, 11);
  cloud.away = true;
  publish({ ...DAY, revision: 'r2', playlists: { ...DAY.playlists, loop: [['new', 60]] } });
  await advanceTo(clock, 13.5);
  expect(box.status()).toMatchObject({ connection: 'offline', held_revision: 'r1' });
  box.kill();
  await clock.advance(2_000);
  box.start();
  await advanceTo(clock, 14);
  cloud.away = false;
  await advanceTo(clock, 15);
  expect(box.status()).toMatchObject({ connection: 'online', held_revision: 'r2' });

  await advanceTo(clock, 18.01);
  box.powerCut();
  await clock.advance(90_000);
  box.start();
  await advanceTo(clock, 25);

  expect(timeline(box, names)).toEqual([
    '07:00:00.050 egg',
    '09:30:00.000 loop',
    // Asked for the manifest from 13:30:02 on, with the waits of MANIFEST_RETRY, 2 s doubled up to 60 s, of which a
    // chance of one half takes 55 %: 1.1 + 2.2 + 4.4 + 8.8 + 17.6 s, then 54 times 33 s, is the first one past 14:00.
    // The page takes 50 ms to prepare.
    '14:00:18.150 new',
    '21:00:00.000 beer',
  ]);
  expect(box.stage.empty).toBe(true);
  expect(box.stage.screen).toMatchObject({ kind: 'idle' });

  const plays = [...cloud.seen.plays.values()].toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const waiting = store.pendingPlays(500).map((play) => play.id);
  const shownIds = box.stage.shown.map((one) => one.id);
  const open = store.unfinishedPlays().open.map((one) => one.draft.id);
  const known = new Set([...plays.map((play) => play.id), ...waiting, ...open]);
  expect(shownIds.filter((id) => !known.has(id))).toEqual([]);
  expect(cloud.seen.playsTwice).toBe(0);
  const cut = plays.filter((play) => play.outcome === 'interrupted');
  const times = (play: (typeof cut)[number]) =>
    [play.started_at, play.ended_at].map((at) => clockText(Date.parse(at)));
  expect(cut.map((play) => [play.content_id, ...times(play), play.reason])).toEqual([
    ['asset_egg', '09:28:00.050', '09:30:00.000', 'schedule'],
    ['asset_loop1', '14:00:00.000', '14:00:18.150', 'manifest'],
    // The power went at 18:00:36; since 13:30:02 the time was written down every 10 s.
    ['asset_new', '18:00:18.150', '18:00:32.000', 'page_lost'],
    // Minute by minute from 18:02:06 on, when the box was back.
    ['asset_new', '20:59:06.050', '21:00:00.000', 'schedule'],
  ]);
  expect(plays.filter((play) => play.outcome === 'failed')).toEqual([]);
});

const MOST_GROWTH_BYTES = 10 * 1024 * 1024;

test('two days offline and 17,000 pictures leave the memory where it was', async () => {
  setFlagsFromString('--expose-gc');
  const collect = z.function({ input: [], output: z.void() }).parse(runInNewContext('gc'));
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const kept = createMemoryStore();
  let ended = 0;
  // What would be on the disk is not counted; only that it would be there.
  const store: Store = {
    ...kept,
    playPrepared: (_draft, position) => kept.playPrepared(null, position),
    playEnded: () => void (ended += 1),
    playStarted: () => {},
    saveSample: () => {},
  };
  const { clock, cloud, box, publish } = house({ store, remember: 10 });
  publish({ playlists: { loop: ['a', 'b', 'c', 'd', 'e'] } });
  box.start();
  cloud.confirm();
  await clock.advance(2 * HOUR);
  cloud.away = true;
  await clock.advance(2 * HOUR);
  const before = heap();
  ended = 0;
  await clock.advance(48 * HOUR);
  // Two nightly refreshes of the page take a moment each.
  expect(ended).toBe(17_279);
  expect(heap() - before).toBeLessThan(MOST_GROWTH_BYTES);
});
