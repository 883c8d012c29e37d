import * as fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { insertWebhook } from '../../test/support/insert-webhook.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Db } from '../database/db.ts';
import { engineOf } from '../database/engine/engine-of.ts';
import { createPlayIntake } from './play-intake.ts';
import type { PlayQuota } from './play-intake.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 0, 2, 12, 30);
const RETENTION_DAYS = 3;

/** A cloud with the devices `dev_0` to `dev_2`. */
async function openCloud() {
  const storage = await openTestStorage();
  const { db } = storage;
  let ids = 0;
  const database = await openTestDatabase({ storage, newId: () => `id_${ids++}` });
  await insertWebhook(db, ['device.alert']);
  for (const id of ['dev_0', 'dev_1', 'dev_2']) {
    await insertDevice(db, id);
  }
  return { db, database };
}

function startIntake(database: CloudDatabase, quota: Partial<PlayQuota> = {}) {
  const logged: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void logged.push(line) });
  const intake = createPlayIntake({ database, log, retentionDays: RETENTION_DAYS, quota });
  return { receive: intake.receive, logged };
}

/** From then on a play with this reason cannot be stored. */
const FAILING_PLAYS = {
  sqlite: sql`create trigger fail before insert on plays when new.reason = 'fail'
    begin select raise(abort, 'not now'); end`,
  postgres: sql`do $$ begin
    create function fail() returns trigger language plpgsql as 'begin raise exception ''not now''; end';
    create trigger fail before insert on plays for each row when (new.reason = 'fail') execute function fail();
  end $$`,
};

const contents = async (db: Db) => ({
  plays: await db.selectFrom('plays').selectAll().orderBy('device_id').orderBy('id').execute(),
  hours: await counts(db, 'play_hours'),
  days: await counts(db, 'play_days'),
  notifications: (await db.selectFrom('webhook_deliveries').select('payload').orderBy('seq').execute()).map(
    ({ payload }) => JSON.parse(payload).data,
  ),
});
const counts = (db: Db, table: 'play_hours' | 'play_days') =>
  db
    .selectFrom(table)
    .selectAll()
    .orderBy('bucket')
    .orderBy('device_id')
    .orderBy('content_id')
    .orderBy('playlist_id')
    .execute();

const buildPlay = (number: number, startedMs: number, change: Record<string, unknown> = {}) => ({
  id: `play_${String(number).padStart(10, '0')}`,
  content_id: 'asset_1',
  playlist_id: null,
  schedule_id: null,
  rule_id: null,
  started_at: new Date(startedMs).toISOString(),
  ended_at: new Date(startedMs + 1000).toISOString(),
  duration_ms: 1000,
  outcome: 'completed',
  reason: null,
  ...change,
});

const play = fc
  .record({
    number: fc.integer({ min: 0, max: 40 }),
    hours: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: -3, max: 0 }) },
      fc.integer({ min: -RETENTION_DAYS * 24 - 3, max: 30 }),
    ),
    change: fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record({
          content_id: fc.constantFrom('asset_1', 'asset_2', 'asset_1 pl_1'),
          playlist_id: fc.constantFrom(null, 'pl_1', 'pl_2'),
          schedule_id: fc.constantFrom(null, 'sched_1'),
          rule_id: fc.constantFrom(null, 'rule_1'),
          duration_ms: fc.integer({ min: 0, max: 90_000 }),
          outcome: fc.constantFrom('completed', 'interrupted', 'failed', 'of a newer player'),
          reason: fc.constantFrom(null, 'a reason'),
        }),
      },
      fc.constantFrom(
        { id: 'bad' },
        { started_at: 'x', outcome: 'new' },
        { duration_ms: -1 },
        { rule_id: undefined },
      ),
    ),
  })
  .map(({ number, hours, change }) => buildPlay(number, NOW + hours * HOUR_MS, change));
const step = fc.record({
  // One device that does not exist.
  device: fc.constantFrom('dev_0', 'dev_0', 'dev_1', 'dev_2', 'dev_3'),
  plays: fc.array(fc.oneof({ weight: 20, arbitrary: play }, fc.constantFrom<unknown>(null, 'text', [])), {
    maxLength: 8,
  }),
});
const quota = fc.constantFrom(
  {},
  { shownPerDay: 4 },
  { shownPerDay: 7 },
  { shownPerDay: 9, receivedPerDay: 12 },
);

test('plays have the same effect in a batch as alone', async () => {
  // Opened once, because that takes longer than a run.
  const [one, other] = [await openCloud(), await openCloud()];
  const seen = { sent: 0, batched: 0, overQuota: 0 };
  const counting: CloudDatabase = {
    ...one.database,
    async recordOrdinaryPlays(arrived) {
      const recorded = await one.database.recordOrdinaryPlays(arrived);
      seen.batched += recorded.size;
      return recorded;
    },
  };
  const withoutBatches: CloudDatabase = { ...other.database, recordOrdinaryPlays: async () => new Map() };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 6 }),
      quota,
      async (rounds, limits) => {
        for (const { db } of [one, other]) {
          for (const table of ['plays', 'play_hours', 'play_days', 'webhook_deliveries'] as const) {
            await db.deleteFrom(table).execute();
          }
        }
        const batched = startIntake(counting, limits);
        const alone = startIntake(withoutBatches, limits);
        for (const [round, steps] of rounds.entries()) {
          // The fourth round is on the next day.
          const nowMs = NOW + round * 4 * HOUR_MS;
          const answers = [];
          for (const { receive } of [batched, alone]) {
            answers.push(
              await Promise.allSettled(steps.map(({ device, plays }) => receive(device, plays, nowMs))),
            );
          }
          expect(answers[0]).toEqual(answers[1]);
          expect(await contents(one.db)).toEqual(await contents(other.db));
          seen.sent += steps.length;
        }
        expect(batched.logged).toEqual(alone.logged);
        seen.overQuota += batched.logged.length;
      },
    ),
    { numRuns: 40 },
  );
  expect(seen.overQuota).toBeGreaterThan(10);
  expect(seen.batched / seen.sent).toBeGreaterThan(0.25);
  expect(seen.batched / seen.sent).toBeLessThan(0.75);
}, 240_000);

test('ordinary plays that arrive together are one transaction', async () => {
  const { database } = await openCloud();
  const recorded: number[] = [];
  const { receive } = startIntake({
    ...database,
    async recordOrdinaryPlays(arrived) {
      const results = await database.recordOrdinaryPlays(arrived);
      recorded.push(results.size);
      return results;
    },
    transaction: () => Promise.reject(new Error('not needed')),
  });
  const ids = ['dev_0', 'dev_1', 'dev_2', 'dev_0'];
  await Promise.all(ids.map((id, index) => receive(id, [buildPlay(index, NOW), 'bad'], NOW)));
  // The second request of a device waits for its first.
  expect(recorded).toEqual([3, 1]);
  recorded.length = 0;
  const many = Array.from({ length: 400 }, (_, index) => buildPlay(1000 + index, NOW));
  await Promise.all(ids.slice(0, 3).map((id) => receive(id, many, NOW)));
  expect(recorded, 'a batch has at most 1,000 plays').toEqual([2, 1]);
});

test('plays that cannot be stored fail alone and use up nothing', async () => {
  const { db, database } = await openCloud();
  const { receive } = startIntake(database, { shownPerDay: 3, receivedPerDay: 3 });
  await FAILING_PLAYS[engineOf(db).name].execute(db);
  const send = (id: string, numbers: number[], reason: string | null = null) =>
    receive(
      id,
      numbers.map((number) => buildPlay(number, NOW, number === 2 ? { reason } : {})),
      NOW,
    );
  const answers = await Promise.allSettled([
    send('dev_0', [1]),
    send('dev_1', [1, 2, 3], 'fail'),
    send('dev_removed', [1]),
    send('dev_2', [1, 2]),
  ]);
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: { rejected: [] } },
    { status: 'rejected', reason: { message: 'not now' } },
    { status: 'rejected', reason: { code: 'DEVICE_UNPAIRED' } },
    { status: 'fulfilled', value: { rejected: [] } },
  ]);
  const stored = await contents(db);
  expect(stored.plays.map((each) => each.device_id)).toEqual(['dev_0', 'dev_2', 'dev_2']);
  expect(stored.days.map((each) => [each.device_id, each.plays])).toEqual([
    ['dev_0', 1],
    ['dev_2', 2],
  ]);
  expect(await send('dev_1', [1, 2, 3])).toMatchObject({ accepted: { length: 3 }, rejected: [] });
});

test('plays of a day are counted from the database after a start', async () => {
  const { database, db } = await openCloud();
  await startIntake(database).receive('dev_0', [buildPlay(1, NOW), buildPlay(2, NOW - DAY_MS)], NOW);
  const restarted = startIntake(database, { shownPerDay: 2 });
  const { accepted } = await restarted.receive('dev_0', [buildPlay(3, NOW), buildPlay(4, NOW)], NOW);
  expect(accepted).toHaveLength(1);
  expect((await contents(db)).plays).toHaveLength(3);
});

test('both quotas hold across ordinary requests', async () => {
  const { database } = await openCloud();
  const { receive } = startIntake(database, { shownPerDay: 2, receivedPerDay: 4 });
  const send = (number: number, startedMs: number) => receive('dev_0', [buildPlay(number, startedMs)], NOW);
  for (const number of [1, 2]) {
    expect(await send(number, NOW)).toMatchObject({ rejected: [] });
  }
  expect(await send(3, NOW)).toMatchObject({ accepted: [] });
  for (const number of [4, 5]) {
    expect(await send(number, NOW - DAY_MS)).toMatchObject({ rejected: [] });
  }
  await expect(send(6, NOW - 2 * DAY_MS)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('while the database is locked, all that wait are refused with the first batch', async () => {
  const { database } = await openCloud();
  const locked = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  let attempts = 0;
  const { receive, logged } = startIntake({
    ...database,
    recordOrdinaryPlays: async () => {
      attempts += 1;
      throw locked;
    },
    transaction: () => Promise.reject(new Error('alone')),
  });
  // A batch takes one request of each device.
  const answers = await Promise.allSettled(
    ['dev_0', 'dev_0', 'dev_1', 'dev_0'].map((id, index) => receive(id, [buildPlay(index, NOW)], NOW)),
  );
  expect(answers.map((each) => each.status === 'rejected' && each.reason)).toEqual(Array(4).fill(locked));
  expect(attempts).toBe(1);
  expect(logged).toEqual([]);
});
