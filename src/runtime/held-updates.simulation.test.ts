import { expect, test } from 'vitest';
import { createFullDiskDatabase } from '../../test/support/full-disk-database.ts';
import { openPlayerDatabase } from '../../test/support/open-player-database.ts';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

const MINUTE_MS = 60_000;
const ALWAYS = { startMinute: 0, endMinute: 0 };

test('a player whose updates are held and that starts again without its cloud waits until the cloud answers', async () => {
  const dir = tempDir();
  const database = openPlayerDatabase(dir);
  const before = createSimulatedPlayer({ database, updateWindow: ALWAYS });
  const { clock, cloud } = before;
  cloud.holdsUpdates = true;
  await before.pairAndPlay();
  await clock.advance(2 * MINUTE_MS);
  cloud.unreachable = true;
  before.player.powerCut();
  database.close();

  const { player } = createSimulatedPlayer({
    clock,
    cloud,
    database: openPlayerDatabase(dir),
    updateWindow: ALWAYS,
  });
  player.start();
  await clock.advance(60 * MINUTE_MS);
  expect([before.player.updateChecks, player.updateChecks]).toEqual([0, 0]);

  // As an older cloud answers as well: it does not know the field.
  cloud.holdsUpdates = false;
  cloud.unreachable = false;
  await clock.advance(25 * 60 * MINUTE_MS);
  expect(player.updateChecks).toBe(1);
});

test('a player whose updates are no longer held updates after a restart without its cloud', async () => {
  const dir = tempDir();
  const database = openPlayerDatabase(dir);
  const before = createSimulatedPlayer({ database, updateWindow: ALWAYS });
  const { clock, cloud } = before;
  cloud.holdsUpdates = true;
  await before.pairAndPlay();
  await clock.advance(2 * MINUTE_MS);
  cloud.holdsUpdates = false;
  await clock.advance(2 * MINUTE_MS);
  cloud.unreachable = true;
  before.player.powerCut();
  database.close();

  const { player } = createSimulatedPlayer({
    clock,
    cloud,
    database: openPlayerDatabase(dir),
    updateWindow: ALWAYS,
  });
  player.start();
  await clock.advance(60 * MINUTE_MS);
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
