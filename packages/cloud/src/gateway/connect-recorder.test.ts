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
  expect(await row()).toMatchObject({ status: 'online', last_seen: NOW + 60_003 });
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
      async recordSeen(seen) {
        batches.push(seen.length);
        await database.devices.setStatus({ id: 'dev_7', number: numbers.get('dev_7') ?? 0 }, 'offline');
        return database.recordSeen(seen);
      },
    },
    log,
  });
  await Promise.all([...numbers.keys()].map((id) => recorder.record(id, '0', NOW)));
  await eventually(async () =>
    expect(await database.devices.findRow('dev_7')).toMatchObject({ status: 'online', last_seen: NOW }),
  );
  expect(batches).toEqual([DEVICES]);
  expect(new Set((await database.devices.findLastSeen([...numbers.keys()])).values())).toEqual(
    new Set([NOW]),
  );
  await recorder.close();
});

test('devices that come back after some minutes without the cloud are marked online together, from when each was seen', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const database = await openTestDatabase({ storage });
  const ids = Array.from({ length: DEVICES }, (_, n) => `dev_${n}`);
  for (const id of ids) {
    await insertDevice(db, id, { status: 'offline', told_status: 'online' });
  }
  await insertDevice(db, 'dev_told', { status: 'offline', told_status: 'offline' });
  await insertDevice(db, 'dev_updated', { status: 'offline', told_status: 'online', player_version: '0.9' });
  let transactions = 0;
  const watched: CloudDatabase = {
    ...database,
    transaction(run, options) {
      transactions += 1;
      return database.transaction(run, options);
    },
  };
  const recorder = createConnectRecorder({ database: watched, log });
  const all = [...ids, 'dev_told', 'dev_updated'];
  // The first one says hello twice.
  await Promise.all([...all, 'dev_0'].map((id, index) => recorder.record(id, '0', NOW + index)));
  const rows = await Promise.all(all.map((id) => database.devices.findRow(id)));
  expect(new Set(rows.map((row) => `${row?.status} ${row?.told_status} ${row?.player_version}`))).toEqual(
    new Set(['online online 0']),
  );
  expect(rows.map((row) => row?.online)).toEqual(all.map(() => 1));
  expect(rows.slice(1).map((row) => row?.last_seen)).toEqual(all.slice(1).map((_, index) => NOW + index + 1));
  const spans = await db.selectFrom('online_spans').selectAll().orderBy('started_at').execute();
  expect(spans).toHaveLength(all.length);
  expect(spans.map(({ device_id }) => device_id).toSorted()).toEqual(all.toSorted());
  expect(spans.map(({ ended_at }) => ended_at)).toEqual(all.map(() => null));
  const events = await db.selectFrom('events').select(['type', 'resource']).execute();
  expect(events).toEqual([{ type: 'device.online', resource: 'dev_told' }]);
  expect(transactions, 'one for those that came back, one for those with more to change').toBe(2);
  await recorder.close();
});

test('one device that cannot be recorded fails alone', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  let ids = 0;
  const database = await openTestDatabase({ storage, newId: () => `id_${ids++}` });
  for (const id of ['dev_1', 'dev_2', 'dev_3']) {
    await insertDevice(db, id, { status: 'offline', told_status: 'offline' });
  }
  const refusing: CloudDatabase = {
    ...database,
    transaction: (run, options) =>
      database.transaction((tx) => {
        const openSpan = async (id: string, atMs: number) => {
          if (id === 'dev_2') {
            throw new Error('refused');
          }
          await tx.presence.openSpan(id, atMs);
        };
        return run({ ...tx, presence: { ...tx.presence, openSpan } });
      }, options),
  };
  const recorder = createConnectRecorder({ database: refusing, log });
  const outcomes = await Promise.allSettled(
    ['dev_1', 'dev_2', 'dev_3'].map((id) => recorder.record(id, '0', NOW)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await database.devices.findRow('dev_3')).toMatchObject({ status: 'online' });
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
