import type { HeartbeatRequest, Play } from '@placard/protocol';
import { expect, test, vi } from 'vitest';
import { smallDisk } from '../../test/support/bad-disk.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { sketchManifest } from '../../test/support/manifests.ts';
import { createMemoryCloud } from '../../test/support/memory-cloud.ts';
import { createMemoryMedia } from '../../test/support/memory-media.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { openStore } from '../../test/support/open-store.ts';
import { createPlayerBox } from '../../test/support/player-box.ts';

vi.setConfig({ testTimeout: 120_000 });

const ITEM_MS = 10_000;

/** A player that plays three pictures from a small disk of its own. */
async function playerOn(dir: string) {
  const clock = createManualClock();
  let store = openStore(dir);
  const cloud = createMemoryCloud({ clock });
  const media = createMemoryMedia({ index: createMemoryStore(), maxCacheBytes: null });
  const box = createPlayerBox({
    clock,
    get store() {
      return store;
    },
    media,
    cloud,
  });
  for (const name of ['a', 'b', 'c']) media.serve(`http://cdn.test/${name}.png`, Buffer.from(name));
  cloud.setManifest(sketchManifest({ revision: 'r1', playlists: { pl: ['a', 'b', 'c'] } }));
  box.start();
  cloud.confirm();
  await clock.advanceUntil(() => box.stage.shown.length > 2, 60_000);
  return {
    clock,
    cloud,
    media,
    box,
    /** The process of the player dies and comes back; with `page` gone too, the whole box. */
    restart: (page: 'stays' | 'gone') => {
      if (page === 'stays') box.kill();
      else box.powerCut();
      store.close();
      store = openStore(dir);
      box.start();
    },
    /** Fills what an open log has left as well. */
    fill: (disk: { fill(): void }) => {
      disk.fill();
      const big = sketchManifest({ playlists: { pl: Array.from({ length: 200 }, (_, n) => `n${n}`) } });
      for (let i = 0; i < 5_000; i++) {
        try {
          store.saveTarget({ ...big, revision: `r${i}` });
        } catch {
          return;
        }
      }
      throw new Error('the disk does not fill');
    },
  };
}

/** No time is told that was not on the screen. */
function expectTrue(plays: Play[], shown: { id: string; atMs: number }[]) {
  const at = new Map(shown.map((one) => [one.id, one.atMs]));
  for (const play of plays) {
    const { id, started_at, ended_at, duration_ms } = play;
    expect(Date.parse(started_at), id).toBe(at.get(id));
    expect(duration_ms, id).toBeLessThanOrEqual(ITEM_MS);
    expect(Date.parse(ended_at) - Date.parse(started_at), id).toBeLessThanOrEqual(ITEM_MS);
  }
}

/** How many plays the player says are missing. */
const toldDropped = (beats: HeartbeatRequest[]) =>
  beats.at(-1)?.state.faults.find((fault) => fault.code === 'plays.dropped')?.facts?.count;

test('what a full disk did not take is written when it does, whole and in order, before a later death', async ({
  skip,
}) => {
  const disk = smallDisk(4) ?? skip('no right to mount a disk');
  const { clock, cloud, box, fill, restart } = await playerOn(disk.dir);
  fill(disk);
  await clock.advance(10 * 60_000);
  expect(cloud.seen.heartbeats.at(-1)?.state.faults).toMatchObject([
    { code: 'disk.full', facts: { plays_unwritten: expect.any(Number) } },
  ]);
  disk.free();
  cloud.away = true;
  await clock.advance(2 * ITEM_MS);
  restart('gone');
  const cut = box.stage.shown.length - 1;
  cloud.away = false;
  await clock.advance(60_000);
  const ended = box.stage.shown.slice(0, -3).map((one) => one.id);
  expect(ended.filter((id) => !cloud.seen.plays.has(id))).toEqual([]);
  const plays = [...cloud.seen.plays.values()];
  expectTrue(plays, box.stage.shown);
  const short = plays.filter((play) => play.outcome !== 'completed' || play.duration_ms !== ITEM_MS);
  expect(short).toMatchObject([{ id: box.stage.shown[cut]!.id, outcome: 'interrupted' }]);
  expect(box.status()).toMatchObject({ faults: [], plays_dropped: 0 });
});

test.for(['stays', 'gone'] as const)(
  'a restart on a full disk, where the page %s, makes up no time and counts what it lost',
  async (page, { skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const { clock, cloud, box, fill, restart } = await playerOn(disk.dir);
    fill(disk);
    const before = box.stage.shown.length;
    await clock.advance(10 * 60_000 - 3_000);
    restart(page);
    await clock.advance(60_000);
    disk.free();
    await clock.advance(3 * 60_000);
    const { shown } = box.stage;
    expectTrue([...cloud.seen.plays.values()], shown);
    const lost = shown.slice(0, -3).filter((one) => !cloud.seen.plays.has(one.id));
    expect(lost.length).toBeGreaterThan(50);
    expect(shown.indexOf(lost[0]!)).toBeGreaterThanOrEqual(before - 1);
    // Without the page nobody knows any more what was shown.
    const counted = page === 'stays' ? lost.length : undefined;
    expect(toldDropped(cloud.seen.heartbeats)).toBe(counted);
  },
);

test('a device that is deleted while the disk is full makes room with its own files, and shows a code', async ({
  skip,
}) => {
  const disk = smallDisk(4) ?? skip('no right to mount a disk');
  const { clock, cloud, media, box, fill } = await playerOn(disk.dir);
  const drop = media.drop.bind(media);
  // What fills the disk here stands for the files.
  media.drop = async (sha256) => {
    disk.free();
    await drop(sha256);
  };
  fill(disk);
  cloud.unpair();
  await clock.advance(30_000);
  expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: expect.any(String) });
  expect(media.held().size).toBe(0);
});
