import { expect, test } from 'vitest';
import { openPlayerDatabase } from '../../test/support/open-player-database.ts';
import { createSimulatedPlayer, NOON } from '../../test/support/simulated-player.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

const DAY_MS = 24 * 3_600_000;

function setUpOnDisk() {
  const database = openPlayerDatabase(tempDir());
  const built = createSimulatedPlayer({ database });
  const reportedDropped = () =>
    built.cloud.received.heartbeats.at(-1)?.state.faults.find((fault) => fault.code === 'plays.dropped')
      ?.facts;
  return { ...built, reportedDropped };
}

test('plays unreported for 30 days are dropped and counted, and still reported as dropped after a restart', async () => {
  const { clock, cloud, player, pairAndPlay, reportedDropped } = setUpOnDisk();
  await pairAndPlay();
  cloud.unreachable = true;
  await clock.advance(60_000);
  player.powerCut();
  const dropped = player.stage.shown.length;
  clock.setWall(NOON + 31 * DAY_MS);
  player.start();
  await clock.advance(60_000);
  player.powerCut();
  cloud.unreachable = false;
  player.start();
  await clock.advance(90_000);
  expect(reportedDropped()).toEqual({ count: dropped });
  expect(player.status()).toMatchObject({ plays_dropped: dropped });
});

test('a device that boots after months, or with a clock years ahead, drops nothing before it could report', async () => {
  const { clock, cloud, player, pairAndPlay } = setUpOnDisk();
  await pairAndPlay();
  cloud.unreachable = true;
  await clock.advance(60_000);
  player.powerCut();
  const shown = player.stage.shown.map((one) => one.id);
  clock.setWall(NOON + 900 * DAY_MS);
  clock.isTimeConfirmed = false;
  player.start();
  // The router boots later than the device.
  await clock.advance(10 * 60_000);
  clock.isTimeConfirmed = true;
  cloud.unreachable = false;
  await clock.advance(90_000);
  expect(shown.filter((id) => !cloud.received.plays.has(id))).toEqual([]);
  expect(player.status()).toMatchObject({ plays_dropped: 0 });
});

test('plays that the cloud rejects are counted, the others of the same batch are not', async () => {
  const { clock, cloud, player, pairAndPlay, reportedDropped } = setUpOnDisk();
  cloud.rejectsPlay = (play) => play.content_id === 'asset_b';
  await pairAndPlay();
  await clock.advance(180_000);
  const refused = player.stage.shown.filter((_, index) => index % 3 === 1).length;
  expect(Number(reportedDropped()?.count)).toBeGreaterThanOrEqual(refused - 2);
  expect([...cloud.received.plays.values()].some((play) => play.content_id === 'asset_b')).toBe(false);
  cloud.rejectsPlay = () => false;
  await clock.advance(60_000);
  const count = Number(reportedDropped()?.count);
  await clock.advance(60_000);
  expect(reportedDropped()).toEqual({ count });
  const all = player.stage.shown.slice(0, -2).length;
  expect(cloud.received.plays.size + count).toBeGreaterThanOrEqual(all);
});

test('the fault is cleared a week after the last loss, and a new pairing starts at zero', async () => {
  const { clock, cloud, database, player, publish, pairAndPlay, reportedDropped } = setUpOnDisk();
  await pairAndPlay();
  database.addDroppedPlays(3, clock.wallMs());
  await clock.advance(90_000);
  expect(reportedDropped()).toEqual({ count: 3 });
  clock.setWall(clock.wallMs() + 8 * DAY_MS);
  await clock.advance(90_000);
  expect(reportedDropped()).toBe(undefined);
  expect(player.status()).toMatchObject({ plays_dropped: 3 });
  cloud.unpair();
  await clock.advance(1_000);
  cloud.confirmPairing();
  publish({ playlists: { pl: ['a'] } });
  await clock.advance(60_000);
  expect(player.status()).toMatchObject({ state: 'paired', plays_dropped: 0, faults: [] });
});
