import type { HeartbeatSample } from '@placard/protocol';
import { makeId } from '@placard/protocol';
import { Kysely, Migrator, PostgresDialect, sql } from 'kysely';
import { Client, Pool } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../../../test/support/wait-until.ts';
import { insertDevice } from '../../../test/support/insert-device.ts';
import { openSqliteTestDb } from '../../../test/support/open-test-database.ts';
import { createCopy } from '../../../test/support/postgres-databases.ts';
import { DAY_MS, HOUR_MS } from '../../domain/durations.ts';
import { toDatedSample } from '../../domain/latest-sample.ts';
import { DEFAULT_RETENTION, RESENT_MS } from '../../domain/retention.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import type { Db } from '../db.ts';
import { deviceRepository } from '../devices.ts';
import { engineOf } from '../engine/engine-of.ts';
import { heartbeatRepository } from '../heartbeats.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { openPostgres } from '../open-postgres.ts';
import { playRepository } from '../plays.ts';
import type { ReportedPlay } from '../plays.ts';
import { PARTITIONED_TABLES } from '../schema.ts';
import type { PartitionedTable } from '../schema.ts';
import { maintainPartitions } from './maintain-partitions.ts';
import { recordOrdinaryPlays } from './ordinary-plays.ts';
import { PARTITIONINGS, periodOf } from './partitioning.ts';
import { createPartitionsIn, listPartitions } from './partitions.ts';
import { createPostgresStorage } from './postgres-storage.ts';

const NOW = Date.UTC(2026, 0, 20, 12);
const server = inject('postgres')!;

async function openCopy(): Promise<{ db: Db; url: string }> {
  const url = await createCopy(server, onTestFinished);
  const db = await openPostgres(url);
  onTestFinished(() => db.destroy());
  return { db, url };
}
const open = async () => (await openCopy()).db;

const maintain = (db: Db, nowMs: number, retention = DEFAULT_RETENTION) =>
  maintainPartitions(db, { nowMs, retention });
const namesOf = async (db: Db, table: PartitionedTable) =>
  (await listPartitions(db, PARTITIONINGS[table])).map(({ name }) => name.slice(table.length + 1));
/** How many rows are in each partition that has some. */
const spread = async (db: Db, table: PartitionedTable) => {
  const { rows } = await sql<{
    name: string;
    rows: number;
  }>`select tableoid::regclass::text as name, count(*) as rows
    from ${sql.table(table)} group by 1 order by 1`.execute(db);
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
};

let made = 0;
/** Its id is of the time when it was prepared, as players make it. */
function play(startedMs: number, preparedMs = startedMs - 1000): ReportedPlay {
  const random = new Uint8Array(16).map((_, index) => (made >> (5 * index)) & 31);
  made += 1;
  return {
    id: makeId('play', preparedMs, random),
    content_id: `asset_${made % 3}`,
    playlist_id: null,
    schedule_id: null,
    rule_id: null,
    started_at: startedMs,
    ended_at: startedMs + 1000,
    duration_ms: 1000,
    outcome: 'completed',
    reason: null,
  };
}

const sample = (atMs: number): HeartbeatSample => ({
  measured_at: new Date(atMs).toISOString(),
  cpu_percent: 5,
  memory_percent: null,
  disk_percent: null,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});

const send = async (db: Db, plays: readonly ReportedPlay[], nowMs = NOW) =>
  db.transaction().execute(async (trx) => {
    const arrived = { deviceId: 'dev_1', plays, nowMs, maxPerDay: 100_000, countOf: () => undefined };
    return (await recordOrdinaryPlays(trx, [arrived])).get('dev_1')?.newCount;
  });
const addSamples = async (db: Db, id: string, times: readonly number[], nowMs = NOW) => {
  const device = await deviceRepository(db).findRow(id);
  return heartbeatRepository(db).add(device!, times.map(sample).map(toDatedSample), nowMs);
};
async function forAll(step: (after: number) => Promise<number | null>): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    after = await step(after);
  }
}

const AHEAD = {
  samples: ['20260120', '20260121', '20260122', '20260123'],
  plays: ['202601', '202602'],
  play_hours: ['202601', '202602'],
  play_days: ['202601', '202602'],
};

test('partitions are made ahead, once, by nodes that do it at the same time', async () => {
  const { db, url } = await openCopy();
  const other = await openPostgres(url);
  onTestFinished(() => other.destroy());
  await Promise.all([maintain(db, NOW), maintain(other, NOW)]);
  await maintain(db, NOW + HOUR_MS);
  for (const table of PARTITIONED_TABLES) {
    expect(await namesOf(db, table)).toEqual(AHEAD[table]);
  }
});

test('rows in no partition are stored, counted and found, and move to the partition of their time when it is made', async () => {
  const db = await open();
  await insertDevice(db, 'dev_1');
  await maintain(db, NOW);
  // The leader was away for three months.
  const later = Date.UTC(2026, 3, 20, 12);
  const plays = [
    play(later - 40 * DAY_MS),
    play(later - HOUR_MS),
    { ...play(later), id: 'play_zzzzzzzzzzzz' },
  ];
  const times = [later - 2 * DAY_MS, later - HOUR_MS, later + 400 * DAY_MS];
  expect(await send(db, plays, later)).toBe(3);
  expect(await addSamples(db, 'dev_1', times, later)).toBe(3);
  expect(await spread(db, 'plays')).toEqual({ plays_default: 3 });
  expect(await spread(db, 'samples')).toEqual({ samples_default: 3 });
  const range = { fromMs: later - 50 * DAY_MS, toMs: later + DAY_MS };
  const read = async () => [
    await playRepository(db).count(range),
    await playRepository(db).countBy('hour', range),
    await heartbeatRepository(db).buckets('dev_1', 'minute', later - 9 * DAY_MS, later + 500 * DAY_MS),
  ];
  const before = await read();
  expect(before).toMatchObject([{ plays: 3 }, [{}, {}, {}], [{}, {}, {}]]);

  await maintain(db, later);
  expect(await namesOf(db, 'plays')).toEqual(['202601', '202602', '202603', '202604', '202605']);
  expect(await spread(db, 'plays')).toEqual({ plays_202603: 1, plays_202604: 1, plays_default: 1 });
  expect(await spread(db, 'play_days')).toEqual({ play_days_202603: 1, play_days_202604: 2 });
  expect(await spread(db, 'samples')).toEqual({
    samples_20260418: 1,
    samples_20260420: 1,
    samples_default: 1,
  });
  expect(await read()).toEqual(before);
  expect(await send(db, plays, later), 'sent again').toBe(0);
  expect(await addSamples(db, 'dev_1', times, later), 'sent again').toBe(0);
});

test('a play that is sent again after months counts once, whatever else it says', async () => {
  const db = await open();
  await insertDevice(db, 'dev_1');
  await maintain(db, NOW);
  const first = play(NOW);
  expect(await send(db, [first])).toBe(1);
  const later = NOW + 200 * DAY_MS;
  await maintain(db, later);
  expect(await send(db, [first], later)).toBe(0);
  // With another time, as a player that corrects its clock might say: the id alone identifies a play.
  expect(await send(db, [{ ...first, started_at: later, ended_at: later }], later)).toBe(0);
  expect(await playRepository(db).findExistingIds('dev_1', [first.id])).toEqual(new Set([first.id]));
  expect(await playRepository(db).count({ fromMs: 0, toMs: later + DAY_MS })).toMatchObject({ plays: 1 });
});

/** Both engines have the same rows, and do the same work at the same times. */
async function openBoth(): Promise<{ sqlite: Db; postgres: Db }> {
  const both = { sqlite: await openSqliteTestDb(), postgres: await open() };
  for (const db of Object.values(both)) {
    await insertDevice(db, 'dev_1', { created_at: NOW - 800 * DAY_MS });
    await insertDevice(db, 'dev_2', { created_at: NOW - 800 * DAY_MS });
  }
  return both;
}

/** What the leader does every hour. */
async function retain(db: Db, nowMs: number, retention = DEFAULT_RETENTION): Promise<void> {
  if (engineOf(db).name === 'postgres') {
    await maintain(db, nowMs, retention);
  }
  const minutesBeforeMs = nowMs - retention.minuteDays * DAY_MS;
  await forAll((after) =>
    heartbeatRepository(db).deleteSamplesBefore(after, minutesBeforeMs, nowMs - RESENT_MS),
  );
  await heartbeatRepository(db).forgetLateSamples(nowMs - RESENT_MS);
  await playRepository(db).deleteBefore(nowMs - retention.playDays * DAY_MS);
}

async function readAll(db: Db, nowMs: number) {
  const range = { fromMs: 0, toMs: nowMs + DAY_MS };
  const odd = { fromMs: nowMs - 731.3 * DAY_MS, toMs: nowMs - 700.7 * DAY_MS };
  const exported: unknown[] = [];
  for await (const rows of playRepository(db).export(range)) {
    exported.push(...rows);
  }
  const answers: unknown[] = [exported];
  for (const span of [range, odd]) {
    answers.push(await playRepository(db).count(span));
    for (const group of ['content', 'device', 'hour', 'day'] as const) {
      answers.push(await playRepository(db).countBy(group, span));
    }
  }
  for (const id of ['dev_1', 'dev_2']) {
    for (const interval of ['minute', 'hour', 'day'] as const) {
      answers.push(await heartbeatRepository(db).buckets(id, interval, nowMs - 30 * DAY_MS, nowMs + DAY_MS));
    }
  }
  return answers;
}

test('retention drops partitions, and the answers are those of SQLite', async () => {
  const both = await openBoth();
  const plays = Array.from({ length: 900 }, (_, n) => play(NOW - n * DAY_MS - (n % 24) * HOUR_MS));
  const kept = plays.filter((each) => each.started_at >= NOW - DEFAULT_RETENTION.playDays * DAY_MS);
  // Prepared in a month, shown in a later one.
  kept.push(play(Date.UTC(2024, 4, 1, 5), Date.UTC(2024, 3, 30, 23)));
  const times = Array.from({ length: 12 * 24 }, (_, n) => NOW - n * HOUR_MS);
  for (const db of Object.values(both)) {
    await retain(db, NOW);
    await db.transaction().execute((trx) => playRepository(trx).add('dev_1', kept, NOW));
    await addSamples(db, 'dev_1', times);
    await forAll((after) => heartbeatRepository(db).rollUp(after, NOW - HOUR_MS));
    // Not rolled up, although they are old: the device came after it.
    await insertDevice(db, 'dev_new');
    await sql`update device_live set rolled_up_until = 0 where device = 3`.execute(db);
    await addSamples(db, 'dev_new', [NOW - 9 * DAY_MS]);
  }
  const compare = async (nowMs: number) => {
    for (const db of Object.values(both)) {
      await retain(db, nowMs);
    }
    expect(await readAll(both.postgres, nowMs)).toEqual(await readAll(both.sqlite, nowMs));
    expect(await addSamples(both.postgres, 'dev_new', [NOW - 9 * DAY_MS], nowMs)).toBe(0);
  };
  await compare(NOW);
  const before = await namesOf(both.postgres, 'plays');
  expect(before.slice(0, 2)).toEqual(['202401', '202402']);
  expect(before).toHaveLength(26);
  expect(await namesOf(both.postgres, 'samples')).toContain('20260113');
  expect(await namesOf(both.postgres, 'samples')).not.toContain('20260112');
  for (const days of [0.04, 1, 11.5, 12.6, 45, 102.4, 103]) {
    await compare(NOW + days * DAY_MS);
  }
  expect((await namesOf(both.postgres, 'plays'))[0]).toBe('202405');
  expect((await namesOf(both.postgres, 'play_hours'))[0]).toBe('202405');
  expect((await namesOf(both.postgres, 'samples'))[0]).toBe('20260502');
  // Of the new device, and the last two of the first, are not rolled up.
  expect(await spread(both.postgres, 'samples')).toEqual({ samples_default: 3 });
});

test('samples that may be sent again are found in their partition, although minutes are kept for a shorter time', async () => {
  const db = await open();
  await insertDevice(db, 'dev_1', { created_at: NOW - 20 * DAY_MS });
  const retention = { ...DEFAULT_RETENTION, minuteDays: 1 };
  const times = [NOW - 3 * DAY_MS, NOW - 6 * DAY_MS];
  await addSamples(db, 'dev_1', times);
  await maintain(db, NOW, retention);
  await forAll((after) => heartbeatRepository(db).rollUp(after, NOW - HOUR_MS));
  await retain(db, NOW, retention);
  const minutes = () => heartbeatRepository(db).buckets('dev_1', 'minute', NOW - 9 * DAY_MS, NOW);
  expect(await minutes()).toEqual([]);
  expect(await addSamples(db, 'dev_1', times)).toBe(0);
  expect(await minutes()).toEqual([]);
});

test('samples that wait while their partition is made are stored in it', async () => {
  const { db, url } = await openCopy();
  await insertDevice(db, 'dev_1');
  const yesterday = NOW - DAY_MS;
  await addSamples(db, 'dev_1', [yesterday]);
  const other = await openPostgres(url);
  onTestFinished(() => other.destroy());
  const isWaiting = async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from pg_locks
      where not granted and relation = 'samples_default'::regclass`.execute(other);
    return rows[0]?.waiting === 1;
  };
  // In a function: a promise that is returned would be waited for before the commit.
  const arriving = await db.transaction().execute(async (trx) => {
    const periods = [periodOf(PARTITIONINGS.samples, yesterday)];
    await createPartitionsIn(trx, PARTITIONINGS.samples, { periods, emptyAfterMs: NOW });
    const added = createPostgresStorage(other).transaction(
      (tx) => addSamples(tx, 'dev_1', [yesterday + 1000]),
      {},
    );
    added.catch(() => undefined);
    await waitUntil('a sample that waits for the partition', isWaiting);
    return () => added;
  });
  expect(await arriving()).toBe(1);
  expect(await spread(db, 'samples')).toEqual({ samples_20260119: 2 });
});

test('whoever reads a table for long postpones its maintenance; nothing waits for it', async () => {
  const { db, url } = await openCopy();
  await insertDevice(db, 'dev_1');
  await maintain(db, NOW);
  const reader = new Client(url);
  await reader.connect();
  onTestFinished(() => reader.end());
  // As `pg_dump` does.
  await reader.query('begin; lock table plays in access share mode');
  const later = NOW + 900 * DAY_MS;
  const failure = await maintain(db, later).then(() => null, storageFailureOf);
  expect(failure).toBe('busy');
  expect(await send(db, [play(later)], later)).toBe(1);
  await reader.query('commit');
  await maintain(db, later);
  expect(await namesOf(db, 'plays')).not.toContain('202601');
  expect(await playRepository(db).count({ fromMs: 0, toMs: later + 1 })).toMatchObject({ plays: 1 });
});

test('a database of the version before keeps its rows, divided; its statements still work', async () => {
  const url = await createCopy({ ...server, template: 'template0' }, onTestFinished);
  const older = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }),
  });
  const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0021');
  const { error } = await new Migrator({
    db: older,
    provider: { getMigrations: async () => Object.fromEntries(before) },
  }).migrateToLatest();
  expect(error).toBeUndefined();
  const nowMs = Date.now();
  const plays = [play(nowMs - 100 * DAY_MS), play(nowMs), play(0), { ...play(nowMs), id: 'play_other00000' }];
  const insert = sql`insert into plays (id, device_id, content_id, started_at, ended_at, duration_ms, outcome, received_at)
    values ${sql.join(plays.map(({ id, started_at: at }) => sql`(${id}, 'dev_1', 'a', ${at}, ${at}, 1000, 'completed', 0)`))}
    on conflict (device_id, id) do nothing`;
  const count = sql`insert into play_hours values (3600000, 'dev_1', 'a', '', 1, 1, 1, 0, 0)
    on conflict (bucket, device_id, content_id, playlist_id) do update set plays = play_hours.plays + excluded.plays`;
  const addSample = sql`insert into samples (device, at) values (1, ${nowMs}) on conflict do nothing`;
  for (const statement of [insert, count, addSample]) {
    await statement.execute(older);
  }
  await (await openPostgres(url)).destroy();
  // A node of that version is still running, and its device sends all again.
  expect((await insert.execute(older)).numAffectedRows).toBe(0n);
  expect((await addSample.execute(older)).numAffectedRows).toBe(0n);
  await count.execute(older);
  await older.destroy();

  const db = await openPostgres(url);
  onTestFinished(() => db.destroy());
  expect(Object.values(await spread(db, 'plays'))).toEqual([1, 1, 2]);
  expect(await spread(db, 'plays')).toMatchObject({ plays_default: 2 });
  expect(await spread(db, 'samples')).not.toHaveProperty('samples_default');
  expect(await db.selectFrom('play_hours').select('plays').execute()).toEqual([{ plays: 2 }]);
  expect(await db.selectFrom('plays').select('id').orderBy('id').execute()).toEqual(
    plays.map(({ id }) => ({ id })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
});
