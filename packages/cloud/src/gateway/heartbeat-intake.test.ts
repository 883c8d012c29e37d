import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Logger } from 'pino';
import type { HeartbeatRequest } from '@placard/protocol';
import { expect, inject, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { insertWebhook } from '../../test/support/insert-webhook.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Db } from '../database/db.ts';
import { engineOf } from '../database/engine/engine-of.ts';
import { heartbeatRepository } from '../database/heartbeats.ts';
import { NO_EDIT_TRACING } from '../domain/edit-tracing.ts';
import { createHeartbeatIntake } from './heartbeat-intake.ts';
import type { HeartbeatIntake } from './heartbeat-intake.ts';

const NOW = Date.UTC(2026, 0, 2, 12, 30);

interface Setup {
  db: Db;
  database: CloudDatabase;
  intake: HeartbeatIntake;
  /** Log lines. */
  logged: string[];
  log: Logger;
  newId: () => string;
}

/** A cloud with the devices `dev_0` to `dev_2`, created at `NOW`. */
async function setUp(change: Partial<CloudDatabase> = {}): Promise<Setup> {
  const storage = await openTestStorage();
  const { db } = storage;
  let ids = 0;
  const newId = () => `id_${String(ids++).padStart(6, '0')}`;
  const database = {
    ...(await openTestDatabase({ storage, newId })),
    manifestRevisionOf: () => 'r',
    ...change,
  };
  await insertWebhook(db, ['device.alert', 'device.online']);
  for (const id of ['dev_0', 'dev_1', 'dev_2']) {
    await insertDevice(db, id, { created_at: NOW, player_version: '1' });
  }
  const logged: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void logged.push(line) });
  return {
    db,
    database,
    intake: createHeartbeatIntake({ database, log, newId, tracing: NO_EDIT_TRACING }),
    logged,
    log,
    newId,
  };
}

const contents = async (db: Db) => ({
  devices: await db.selectFrom('devices').selectAll().orderBy('id').execute(),
  // In which table a sample is depends on what was sent with it.
  live: (await db.selectFrom('device_live').selectAll().orderBy('device').execute()).map((row) => ({
    ...row,
    recent_samples: null,
    // Not written with each heartbeat, and never later than `last_seen`.
    last_seen_indexed: (row.last_seen_indexed ?? 0) <= (row.last_seen ?? 0),
  })),
  samples: (await sql`select * from ${engineOf(db).allSamples} as samples order by device, at`.execute(db))
    .rows,
  buckets: await db
    .selectFrom('heartbeat_buckets')
    .selectAll()
    .orderBy('device_id')
    .orderBy('interval')
    .orderBy('bucket')
    .execute(),
  spans: await db.selectFrom('online_spans').selectAll().orderBy('device_id').execute(),
  // Without their ids, which depend on what else was given one.
  notifications: (await db.selectFrom('webhook_deliveries').selectAll().orderBy('seq').execute()).map(
    (row) => ({ ...row, id: null, payload: { ...JSON.parse(row.payload), id: null } }),
  ),
  events: (
    await db.selectFrom('events').select(['type', 'resource', 'data']).orderBy('seq').execute()
  ).toSorted((a, b) => (a.resource < b.resource ? -1 : Number(a.resource > b.resource))),
  commands: await db.selectFrom('commands').selectAll().orderBy('id').execute(),
});

const request = (
  atMs: readonly number[],
  state: Partial<HeartbeatRequest['state']> = {},
): HeartbeatRequest => ({
  samples: atMs.map((each) => ({
    measured_at: new Date(each).toISOString(),
    cpu_percent: (each / 1000) % 100,
    memory_percent: null,
    disk_percent: 12.3,
    // Not all are stored as tenths.
    temperature_celsius: (each / 60_000) % 4 === 0 ? 1 / 3 : 45.5,
    wifi_signal_dbm: -60,
  })),
  state: {
    player_version: '1',
    shell: 'chromium',
    uptime_seconds: 1,
    applied_manifest_revision: null,
    current: null,
    storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
    faults: [],
    ...state,
  },
});

const fault = (code: string) => ({ code, since: new Date(NOW).toISOString() });
const showing = (playlist: string, atMs: number) => ({
  playlist_id: playlist,
  item_id: 'item_1',
  content_id: 'cnt_1',
  since: new Date(atMs).toISOString(),
});

const step = fc.record({
  device: fc.integer({ min: 0, max: 2 }),
  minutes: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: -5, max: 5 }) },
      fc.integer({ min: -3000, max: 1600 }),
    ),
    {
      maxLength: 12,
    },
  ),
  state: fc.record({
    player_version: fc.constantFrom('1', '1', '1', '2'),
    faults: fc.subarray([fault('a'), fault('b')]),
    current: fc.constantFrom(
      null,
      showing('pl_1', NOW),
      showing('pl_2', NOW - 1000),
      showing('pl_1', NOW + 1000),
    ),
    applied_manifest_revision: fc.constantFrom(null, 'r1', 'r2'),
  }),
  command: fc.boolean(),
});

/** Until when samples are rolled up after the heartbeats, in minutes; null: they are not. */
const round = fc.record({
  steps: fc.array(step, { maxLength: 6 }),
  rollUpEnd: fc.option(fc.integer({ min: -2, max: 4 }), { freq: 3 }),
  /** By how many minutes the clock goes on. */
  minutes: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: -10, max: 10 })),
});

test('a heartbeat has the same effect in a batch as alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 6 }), async (rounds) => {
      const [batched, alone] = [await setUp(), await setUp({ recordOrdinaryHeartbeats: async () => [] })];
      let nowMs = NOW;
      for (const [turn, { steps, rollUpEnd, minutes: passed }] of rounds.entries()) {
        nowMs += passed * 60_000;
        const responses = [];
        for (const { db, intake } of [batched, alone]) {
          for (const [index, { device, command }] of steps.entries()) {
            if (command && index === 0) {
              await db
                .insertInto('commands')
                .values({
                  id: `cmd_${turn}`,
                  device_id: `dev_${device}`,
                  command: 'REFRESH',
                  status: 'queued',
                  created_at: nowMs,
                  expires_at: nowMs + 600_000,
                })
                .execute();
            }
          }
          responses.push(
            await Promise.all(
              steps.map(({ device, minutes, state }) =>
                intake.receive(
                  `dev_${device}`,
                  request(
                    minutes.map((minute) => NOW + minute * 60_000),
                    state,
                  ),
                  nowMs,
                ),
              ),
            ),
          );
        }
        expect(responses[0]).toEqual(responses[1]);
        for (const { db } of rollUpEnd === null ? [] : [batched, alone]) {
          await heartbeatRepository(db).rollUp(0, NOW + rollUpEnd! * 60_000);
        }
        const result = await contents(batched.db);
        expect(result).toEqual(await contents(alone.db));
        expect(result.live.every((row) => row.last_seen_indexed)).toBe(true);
      }
    }),
    // A new database takes ten times as long on PostgreSQL.
    { numRuns: inject('postgres') ? 8 : 25 },
  );
}, 120_000);

test('ordinary heartbeats that arrive together are one transaction', async () => {
  const { database, intake, log, newId } = await setUp();
  const ids = ['dev_0', 'dev_1', 'dev_2'];
  await Promise.all(ids.map((id) => intake.receive(id, request([NOW]), NOW)));
  const recorded: number[] = [];
  const watched = createHeartbeatIntake({
    newId,
    tracing: NO_EDIT_TRACING,
    database: {
      ...database,
      async recordOrdinaryHeartbeats(arrived) {
        const results = await database.recordOrdinaryHeartbeats(arrived);
        recorded.push(results.filter((result) => result !== null).length);
        return results;
      },
      transaction: () => Promise.reject(new Error('not needed')),
    },
    log,
  });
  await Promise.all(ids.map((id) => watched.receive(id, request([NOW + 60_000]), NOW + 60_000)));
  expect(recorded).toEqual([3]);
});

test('one heartbeat that fails does not affect the others of its batch', async () => {
  const { intake } = await setUp();
  const answers = await Promise.allSettled(
    ['dev_0', 'dev_removed', 'dev_1'].map((id) => intake.receive(id, request([NOW]), NOW)),
  );
  expect(answers).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'DEVICE_UNPAIRED' } },
    { status: 'fulfilled' },
  ]);
});

test('a batch that fails as a whole is recorded one by one, and logged', async () => {
  const { db, intake, logged } = await setUp({
    recordOrdinaryHeartbeats: () => Promise.reject(new Error('broken')),
  });
  const answers = await Promise.all(['dev_0', 'dev_1'].map((id) => intake.receive(id, request([NOW]), NOW)));
  expect(answers).toHaveLength(2);
  expect((await contents(db)).samples).toHaveLength(2);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'heartbeats.batch_failed', err: { message: 'broken' } },
  ]);
});

test('a batch that does not fit on the disk is not logged as a failure of its own', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const { intake, logged } = await setUp({
    recordOrdinaryHeartbeats: () => Promise.reject(full),
    transaction: () => Promise.reject(full),
  });
  await expect(intake.receive('dev_0', request([NOW]), NOW)).rejects.toThrow('disk is full');
  expect(logged).toEqual([]);
});

test('of many heartbeats that arrive at once each batch has its own turn of the event loop', async () => {
  const turnsOfBatches: number[] = [];
  let turn = 0;
  const { database, log, newId } = await setUp();
  const intake = createHeartbeatIntake({
    newId,
    tracing: NO_EDIT_TRACING,
    database: {
      ...database,
      recordOrdinaryHeartbeats(arrived) {
        turnsOfBatches.push(turn);
        return database.recordOrdinaryHeartbeats(arrived);
      },
    },
    log,
  });
  await intake.receive('dev_0', request([NOW]), NOW);
  const state = { done: false };
  const answered = Promise.all(
    // Full batches: none of them begins after a pause, between two turns as they are counted here.
    Array.from({ length: 768 }, (_, n) => intake.receive('dev_0', request([]), NOW + n)),
  ).finally(() => (state.done = true));
  while (!state.done) {
    turn += 1;
    await setImmediate();
  }
  await answered;
  const [, ...batches] = turnsOfBatches;
  expect(batches).toHaveLength(3);
  expect(new Set(batches).size).toBe(3);
});

test('another request is answered after a large batch was recorded and before its heartbeats are', async () => {
  const order: string[] = [];
  const { database, intake: intakeBefore, log, newId } = await setUp();
  await intakeBefore.receive('dev_0', request([NOW]), NOW);
  const intake = createHeartbeatIntake({
    newId,
    tracing: NO_EDIT_TRACING,
    database: {
      ...database,
      async recordOrdinaryHeartbeats(arrived) {
        const results = await database.recordOrdinaryHeartbeats(arrived);
        order.push('recorded');
        // It has arrived meanwhile, and has the next turn of the event loop.
        void setImmediate().then(() => order.push('another request'));
        return results;
      },
    },
    log,
  });
  await Promise.all(
    Array.from({ length: 256 }, async (_, n) => {
      await intake.receive('dev_0', request([]), NOW + n);
      order.push('answered');
    }),
  );
  expect(order).toEqual(['recorded', 'another request', ...Array.from({ length: 256 }, () => 'answered')]);
});

test('a heartbeat does not overtake an earlier one of its device that has its own transaction', async () => {
  const { db, database, intake } = await setUp();
  await intake.receive('dev_0', request([]), NOW);
  // Other changes are waiting, as for a slow disk.
  const others = Array.from({ length: 5 }, () => database.transaction(() => setImmediate()));
  const first = intake.receive('dev_0', request([], { faults: [fault('a')] }), NOW + 1000);
  await setImmediate();
  await setImmediate();
  const second = intake.receive('dev_0', request([]), NOW + 2000);
  await Promise.all([...others, first, second]);
  const [live] = (await contents(db)).live;
  expect(live).toMatchObject({ last_seen: NOW + 2000, faults: '[]' });
});

test('a heartbeat whose answer fails is refused alone, and those after it are received', async () => {
  const { intake } = await setUp({
    manifestRevisionOf: (id) => {
      if (id === 'dev_1') {
        throw new Error('no revision');
      }
      return 'r';
    },
  });
  // The first heartbeat of a device is not ordinary.
  await Promise.allSettled(['dev_0', 'dev_1', 'dev_2'].map((id) => intake.receive(id, request([]), NOW)));
  for (let minute = 1; minute <= 2; minute += 1) {
    const atMs = NOW + minute * 60_000;
    const received = await Promise.allSettled(
      ['dev_0', 'dev_1', 'dev_2'].map((id) => intake.receive(id, request([atMs]), atMs)),
    );
    expect(received.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  }
});

test('while the database is locked, all that wait are refused with the first batch', async () => {
  const locked = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  let attempts = 0;
  const { intake } = await setUp({
    recordOrdinaryHeartbeats: async () => {
      attempts += 1;
      throw locked;
    },
    transaction: () => Promise.reject(new Error('alone')),
  });
  const answers = await Promise.allSettled(
    Array.from({ length: 600 }, (_, index) => intake.receive(`dev_${index}`, request([NOW]), NOW)),
  );
  expect(new Set(answers.map((each) => each.status === 'rejected' && each.reason))).toEqual(
    new Set([locked]),
  );
  expect(attempts).toBe(1);
});
