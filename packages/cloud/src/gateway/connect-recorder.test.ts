import pino from 'pino';
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { createConnectRecorder } from './connect-recorder.ts';

const NOW = 1_000_000;
const DEVICES = 200;
const log = pino({ level: 'silent' });

test('a device that connects is written only when that changes something', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const database = await openTestDatabase({ storage });
  const { number } = await insertDevice(db, 'dev_1', { player_version: '1' });
  let writes = 0;
  const watched: CloudDatabase = {
    ...database,
    transaction(run, options) {
      writes += 1;
      return database.transaction(run, options);
    },
    recordSeen(seen) {
      writes += seen.length;
      return database.recordSeen(seen);
    },
  };
  const connect = async (version: string, nowMs: number) => {
    const before = writes;
    const recorder = createConnectRecorder({ database: watched, log });
    await recorder.record('dev_1', version, nowMs);
    await recorder.close();
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
  const recorder = createConnectRecorder({ database: watched, log });
  expect(await recorder.record('dev_removed', '1', NOW)).toBeUndefined();
  await recorder.close();
});

test('devices that connect after a while are written together, and one that went offline meanwhile is online', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const database = await openTestDatabase({ storage });
  const numbers = new Map<string, number>();
  for (let n = 0; n < DEVICES; n++) {
    const { id, number } = await insertDevice(db, `dev_${n}`, { status: 'online', told_status: 'online' });
    numbers.set(id, number);
  }
  const batches: number[] = [];
  const recorder = createConnectRecorder({
    database: {
      ...database,
      recordSeen(seen) {
        batches.push(seen.length);
        return database.recordSeen(seen);
      },
    },
    log,
  });
  for (const id of numbers.keys()) {
    await recorder.record(id, '0', NOW);
  }
  await database.devices.setStatus({ id: 'dev_7', number: numbers.get('dev_7') ?? 0 }, 'offline');
  await eventually(async () =>
    expect(await database.devices.findRow('dev_7')).toMatchObject({ status: 'online', last_seen: NOW }),
  );
  expect(batches).toEqual([DEVICES]);
  expect(new Set((await database.devices.findLastSeen([...numbers.keys()])).values())).toEqual(
    new Set([NOW]),
  );
  await recorder.close();
});

test('a disk that takes no writes does not disturb a device that connects', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const database = await openTestDatabase({ storage });
  await insertDevice(db, 'dev_1', { status: 'online', told_status: 'online' });
  const recorder = createConnectRecorder({
    database: {
      ...database,
      recordSeen: () => Promise.reject(Object.assign(new Error('full'), { code: 'SQLITE_FULL' })),
    },
    log,
  });
  await recorder.record('dev_1', '0', NOW);
  await expect(recorder.close()).resolves.toBeUndefined();
});
