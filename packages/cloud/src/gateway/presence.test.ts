import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestDatabase, openTestDb } from '../../test/support/open-test-database.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { recordConnected } from './presence.ts';

const NOW = 1_000_000;

test('a device that connects is written only when that changes something', async () => {
  const db = await openTestDb();
  const database = await openTestDatabase({ db });
  const { number } = await insertDevice(db, 'dev_1', { player_version: '1' });
  let writes = 0;
  const watched: CloudDatabase = {
    ...database,
    transaction(run, options) {
      writes += 1;
      return database.transaction(run, options);
    },
  };
  const connect = async (version: string, nowMs: number) => {
    const before = writes;
    await recordConnected(watched, 'dev_1', version, nowMs);
    return writes - before;
  };
  const row = () => database.devices.findRow('dev_1');

  expect(await connect('1', NOW), 'offline before').toBe(1);
  expect(await row()).toMatchObject({ status: 'online', told_status: 'online', last_seen: NOW });
  expect(await connect('1', NOW + 1), 'a moment ago').toBe(0);
  expect(await connect('2', NOW + 2), 'another version').toBe(1);
  expect(await row()).toMatchObject({ player_version: '2', last_seen: NOW + 2 });
  expect(await connect('2', NOW + 60_002), 'silent for a while').toBe(1);
  expect(await row()).toMatchObject({ last_seen: NOW + 60_002 });
  await database.devices.setStatus({ id: 'dev_1', number }, 'offline');
  expect(await connect('2', NOW + 60_003), 'offline meanwhile').toBe(1);
  expect(await row()).toMatchObject({ status: 'online' });
  expect(await recordConnected(watched, 'dev_removed', '1', NOW)).toBeUndefined();
});
