import { expect, test } from 'vitest';
import { createFullDiskDatabase } from '../../test/support/full-disk-database.ts';
import { openPlayerDatabase } from '../../test/support/open-player-database.ts';
import { createSimulatedPlayer, SLOW_PLAYLIST } from '../../test/support/simulated-player.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

const MINUTE_MS = 60_000;
const ALWAYS = { startMinute: 0, endMinute: 0 };

type SimulatedPlayer = ReturnType<typeof createSimulatedPlayer>;

/** Pairs a player whose updates are held, and starts it again on the same file after `meanwhile`, while its cloud is away. */
async function restartWithoutCloud(meanwhile: (player: SimulatedPlayer) => Promise<void>) {
  const dir = tempDir();
  const database = openPlayerDatabase(dir);
  const before = createSimulatedPlayer({ database, updateWindow: ALWAYS });
  const { clock, cloud } = before;
  cloud.holdsUpdates = true;
  await before.pairAndPlay({ playlists: SLOW_PLAYLIST });
  await clock.advance(2 * MINUTE_MS);
  await meanwhile(before);
  cloud.unreachable = true;
  before.player.powerCut();
  database.close();
  // The time that is written every ten seconds would take most of the test.
  const again = Object.assign(openPlayerDatabase(dir), { saveLastGoodTime: () => {} });
  const { player } = createSimulatedPlayer({ clock, cloud, database: again, updateWindow: ALWAYS });
  player.start();
  await clock.advance(60 * MINUTE_MS);
  return { clock, cloud, before: before.player, player };
}

test('a player whose updates are held and that starts again without its cloud waits until the cloud answers', async () => {
  const { clock, cloud, before, player } = await restartWithoutCloud(async () => {});
  expect([before.updateChecks, player.updateChecks]).toEqual([0, 0]);

  // As an older cloud answers as well: it does not know the field.
  cloud.holdsUpdates = false;
  cloud.unreachable = false;
  await clock.advance(25 * 60 * MINUTE_MS);
  expect(player.updateChecks).toBe(1);
});

test('a player whose updates are no longer held updates after a restart without its cloud', async () => {
  const { player } = await restartWithoutCloud(async ({ cloud, clock }) => {
    cloud.holdsUpdates = false;
    await clock.advance(2 * MINUTE_MS);
  });
  expect(player.updateChecks).toBe(1);
});

test('it is written when it changes, and again after the disk was full', async () => {
  const { database, stored, disk } = createFullDiskDatabase('saveUpdatesHeld');
  let writes = 0;
  const counted = new Proxy(database, {
    get(target, name): unknown {
      writes += name === 'saveUpdatesHeld' ? 1 : 0;
      return Reflect.get(target, name);
    },
  });
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer({ database: counted });
  await pairAndPlay();
  await clock.advance(10 * MINUTE_MS);
  expect(writes).toBe(0);
  disk.full = true;
  cloud.holdsUpdates = true;
  await clock.advance(5 * MINUTE_MS);
  expect(stored.readUpdatesHeld()).toBe(false);
  disk.full = false;
  await clock.advance(2 * MINUTE_MS);
  expect(stored.readUpdatesHeld()).toBe(true);
  const afterwards = writes;
  await clock.advance(60 * MINUTE_MS);
  expect(writes).toBe(afterwards);
});
