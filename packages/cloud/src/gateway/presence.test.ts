import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';
import { createPresenceSweep } from './presence.ts';

const NOW = 1_000_000;
const DEVICES = 200;

test('a sweep looks at devices without a socket in several turns of the event loop', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const clock = createManualClock(NOW);
  const database = await openTestDatabase({ storage, clock });
  const disconnected = new Map<string, number>();
  for (let n = 0; n < DEVICES; n++) {
    const id = `dev_${n}`;
    const { number } = await insertDevice(db, id, {
      status: n === 0 ? 'offline' : 'online',
      told_status: 'online',
    });
    // The second was silent since its socket closed; the others send heartbeats by HTTP or to another node.
    await database.devices.updateLive(number, { last_seen: NOW - (n === 1 ? 120_000 : 1000) });
    disconnected.set(id, NOW - 120_000);
  }
  const sweep = createPresenceSweep({
    database,
    clock,
    log: pino({ enabled: false }),
    disconnected: () => disconnected,
    forgetDisconnected: (id) => void disconnected.delete(id),
    isLeader: () => true,
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
  expect(disconnected.size, 'none is held for ever').toBe(0);
});

test('after the database was away, devices have time to report before they count as offline', async () => {
  const storage = await openTestStorage();
  const clock = createManualClock(NOW);
  const database = await openTestDatabase({ storage, clock });
  for (const id of ['dev_back', 'dev_gone']) {
    const { number } = await insertDevice(storage.db, id, { status: 'online', told_status: 'online' });
    await database.devices.updateLive(number, { last_seen: NOW });
  }
  let isAway = false;
  const sweep = createPresenceSweep({
    database: {
      ...database,
      devices: {
        ...database.devices,
        mayAnyBeSilentSince: (beforeMs) =>
          isAway ? Promise.reject(new Error('away')) : database.devices.mayAnyBeSilentSince(beforeMs),
      },
    },
    clock,
    log: pino({ enabled: false }),
    disconnected: () => [],
    forgetDisconnected: () => {},
    isLeader: () => true,
    writesBlockedUntilMs: () => 0,
  });
  const sweepFor = async (ms: number) => {
    for (const untilMs = clock.nowMs() + ms; clock.nowMs() < untilMs;) {
      clock.advance(5_000);
      await sweep().catch(() => {});
    }
  };
  const offline = async () =>
    (await storage.db.selectFrom('devices').select('id').where('status', '=', 'offline').execute()).map(
      ({ id }) => id,
    );
  const told = async () =>
    (await storage.db.selectFrom('events').select(['type', 'resource']).execute()).filter(
      ({ type }) => type === 'device.offline',
    );
  isAway = true;
  await sweepFor(600_000);
  isAway = false;
  await sweepFor(60_000);
  expect(await offline()).toEqual([]);
  const back = await database.devices.findRow('dev_back');
  await database.devices.updateLive(back!.number, { last_seen: clock.nowMs() });
  await sweepFor(125_000);
  expect(await offline()).toEqual(['dev_gone']);
  expect(await told()).toMatchObject([{ resource: 'dev_gone' }]);
});

test('a sweep tells of some of the devices that are offline, and of none any more once another node leads', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const clock = createManualClock(NOW);
  let ids = 0;
  const database = await openTestDatabase({ storage, clock, newId: (kind) => `${kind}_${++ids}` });
  await db.transaction().execute(async (trx) => {
    for (let n = 0; n < 1_060; n++) {
      await insertDevice(trx, `dev_${n}`, { status: 'offline', told_status: 'online' });
    }
  });
  let isLeader = true;
  let endsWithTransaction = Infinity;
  const sweep = createPresenceSweep({
    database: {
      ...database,
      transaction(run, options) {
        endsWithTransaction -= 1;
        isLeader = endsWithTransaction > 0;
        return database.transaction(run, options);
      },
    },
    clock,
    log: pino({ enabled: false }),
    disconnected: () => [],
    forgetDisconnected: () => {},
    isLeader: () => isLeader,
    writesBlockedUntilMs: () => 0,
  });
  const countNotNotified = async () => {
    const rows = await db.selectFrom('devices').select('id').where('told_status', '=', 'online').execute();
    return rows.length;
  };
  // Long enough after the start, in steps as long as the sweeps are apart.
  for (let ms = 0; ms < 150_000; ms += 30_000) {
    clock.advance(30_000);
    await sweep();
  }
  expect(await countNotNotified()).toBe(1_060);
  clock.advance(40_000);
  await sweep();
  expect(await countNotNotified(), 'the others are told of by the next sweep').toBe(60);
  endsWithTransaction = 1;
  await sweep();
  expect(await countNotNotified(), 'another node leads').toBe(35);
  endsWithTransaction = Infinity;
  isLeader = true;
  await sweep();
  expect(await countNotNotified()).toBe(0);
});

test('of devices that went offline is told some at a time, and marked are some at a time, each once', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const clock = createManualClock(NOW);
  let ids = 0;
  const database = await openTestDatabase({ storage, clock, newId: (kind) => `${kind}_${++ids}` });
  const disconnected = new Map<string, number>();
  for (let n = 0; n < 60; n++) {
    const { number } = await insertDevice(db, `dev_${n}`, { status: 'online', told_status: 'online' });
    await database.devices.updateLive(number, { last_seen: NOW });
    disconnected.set(`dev_${n}`, NOW);
  }
  let transactions = 0;
  const sweep = createPresenceSweep({
    database: {
      ...database,
      transaction(run, options) {
        transactions += 1;
        return database.transaction(run, options);
      },
    },
    clock,
    log: pino({ enabled: false }),
    disconnected: () => disconnected,
    forgetDisconnected: (id) => void disconnected.delete(id),
    isLeader: () => true,
    writesBlockedUntilMs: () => 0,
  });
  const offlineEvents = async () =>
    (await db.selectFrom('events').select(['type', 'resource']).execute()).filter(
      ({ type }) => type === 'device.offline',
    );
  const sweepFor = async (ms: number) => {
    for (const untilMs = clock.nowMs() + ms; clock.nowMs() < untilMs;) {
      clock.advance(5_000);
      await sweep();
    }
  };
  // Soon after the start they are marked, but not told.
  await sweepFor(100_000);
  const marked = await db.selectFrom('devices').select('id').where('status', '=', 'offline').execute();
  expect([marked.length, transactions, await offlineEvents()]).toEqual([60, 3, []]);
  await sweepFor(100_000);
  const told = await offlineEvents();
  expect([told.length, new Set(told.map(({ resource }) => resource)).size, transactions]).toEqual([
    60, 60, 6,
  ]);
});
