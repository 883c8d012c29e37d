import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { insertDevice } from '../../test/support/insert-device.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase, openTestDb } from '../../test/support/open-test-database.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { createConnectRecorder, createPresenceSweep } from './presence.ts';

const NOW = 1_000_000;
const DEVICES = 200;
const log = pino({ level: 'silent' });

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
  const db = await openTestDb();
  const database = await openTestDatabase({ db });
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
  const db = await openTestDb();
  const database = await openTestDatabase({ db });
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

test('a sweep looks at devices without a socket in several turns of the event loop', async () => {
  const db = await openTestDb();
  const clock = createManualClock(NOW);
  const database = await openTestDatabase({ db, clock });
  const disconnected = new Map<string, number>();
  for (let n = 0; n < DEVICES; n++) {
    const id = `dev_${n}`;
    const { number } = await insertDevice(db, id, {
      status: n === 0 ? 'offline' : 'online',
      told_status: 'online',
    });
    // The second was silent since its socket closed; the others send heartbeats by HTTP.
    await database.devices.updateLive(number, { last_seen: NOW - (n === 1 ? 120_000 : 1000) });
    disconnected.set(id, NOW - 120_000);
  }
  const sweep = createPresenceSweep({
    database,
    clock,
    disconnected: () => disconnected,
    forgetDisconnected: (id) => void disconnected.delete(id),
    writesBlockedUntilMs: () => 0,
  });
  const state = { turns: 0, done: false };
  const swept = sweep().finally(() => (state.done = true));
  while (!state.done) {
    state.turns += 1;
    await setImmediate();
  }
  await swept;
  expect(state.turns).toBeGreaterThan(3);
  const offline = await db.selectFrom('devices').select('id').where('status', '=', 'offline').execute();
  expect(offline).toEqual([{ id: 'dev_0' }, { id: 'dev_1' }]);
  expect(disconnected.has('dev_0')).toBe(false);
  await sweep();
  expect(disconnected.size).toBe(DEVICES - 2);
});
