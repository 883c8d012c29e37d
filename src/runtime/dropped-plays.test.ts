import { expect, test } from 'vitest';
import { openStore } from '../../test/support/open-store.ts';
import { house, NOON } from '../../test/support/simulated-house.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

const DAY_MS = 24 * 3_600_000;

function houseOnDisk() {
  const store = openStore(tempDir());
  const built = house({ store });
  const toldDropped = () =>
    built.cloud.seen.heartbeats.at(-1)?.state.faults.find((fault) => fault.code === 'plays.dropped')?.facts;
  return { ...built, toldDropped };
}

test('plays that nobody took for 30 days are counted, and the cloud is told so after the next restart too', async () => {
  const { clock, cloud, box, settle, toldDropped } = houseOnDisk();
  await settle();
  cloud.away = true;
  await clock.advance(60_000);
  box.powerCut();
  const dropped = box.stage.shown.length;
  clock.setWall(NOON + 31 * DAY_MS);
  box.start();
  await clock.advance(60_000);
  box.powerCut();
  cloud.away = false;
  box.start();
  await clock.advance(90_000);
  expect(toldDropped()).toEqual({ count: dropped });
  expect(box.status()).toMatchObject({ plays_dropped: dropped });
});

test('a box that comes up after months, or a clock years ahead, gives nothing up before it could ask', async () => {
  const { clock, cloud, box, settle } = houseOnDisk();
  await settle();
  cloud.away = true;
  await clock.advance(60_000);
  box.powerCut();
  const shown = box.stage.shown.map((one) => one.id);
  clock.setWall(NOON + 900 * DAY_MS);
  clock.confirmed = false;
  box.start();
  // The router comes up later than the box.
  await clock.advance(10 * 60_000);
  clock.confirmed = true;
  cloud.away = false;
  await clock.advance(90_000);
  expect(shown.filter((id) => !cloud.seen.plays.has(id))).toEqual([]);
  expect(box.status()).toMatchObject({ plays_dropped: 0 });
});

test('plays that the cloud refuses are counted, the others of the same batch are not', async () => {
  const { clock, cloud, box, settle, toldDropped } = houseOnDisk();
  cloud.refuses = (play) => play.content_id === 'asset_b';
  await settle();
  await clock.advance(180_000);
  const refused = box.stage.shown.filter((_, index) => index % 3 === 1).length;
  expect(Number(toldDropped()?.count)).toBeGreaterThanOrEqual(refused - 2);
  expect([...cloud.seen.plays.values()].some((play) => play.content_id === 'asset_b')).toBe(false);
  cloud.refuses = () => false;
  await clock.advance(60_000);
  const count = Number(toldDropped()?.count);
  await clock.advance(60_000);
  expect(toldDropped()).toEqual({ count });
  const all = box.stage.shown.slice(0, -2).length;
  expect(cloud.seen.plays.size + count).toBeGreaterThanOrEqual(all);
});

test('a week after the last loss nothing is said any more, and a new pairing begins at none', async () => {
  const { clock, cloud, store, box, publish, settle, toldDropped } = houseOnDisk();
  await settle();
  store.countDropped(3, clock.wall());
  await clock.advance(90_000);
  expect(toldDropped()).toEqual({ count: 3 });
  clock.setWall(clock.wall() + 8 * DAY_MS);
  await clock.advance(90_000);
  expect(toldDropped()).toBe(undefined);
  expect(box.status()).toMatchObject({ plays_dropped: 3 });
  cloud.unpair();
  await clock.advance(1_000);
  cloud.confirm();
  publish({ playlists: { pl: ['a'] } });
  await clock.advance(60_000);
  expect(box.status()).toMatchObject({ state: 'paired', plays_dropped: 0, faults: [] });
});
