import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from '../db.ts';
import { postgres } from '../engine/postgres.ts';
import { givenRows } from './given-rows.ts';
import { partitionName } from './partitioning.ts';
import type { Partitioning, Period } from './partitioning.ts';

const { outsidePartitions } = postgres;

/** Heartbeats and plays wait for whoever waits for a lock of their table. */
const LOCK_TIMEOUT_MS = 500;
/** Rows that are moved at once; nothing is written to the default partition meanwhile. */
const MAX_MOVED_ROWS = 100_000;
/** Devices whose samples are looked at one by one because they are not rolled up yet. */
const MAX_DEVICES = 1000;

export interface Partition extends Period {
  name: string;
}

/** The partitions of a table, the default one left out, oldest first. */
export async function listPartitions(db: Db, { table, timeOf }: Partitioning): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select relname as name, pg_get_expr(relpartbound, oid) as bounds
    from pg_inherits join pg_class on oid = inhrelid where inhparent = ${table}::regclass`.execute(db);
  return rows
    .flatMap(({ name, bounds }) => {
      const [, from, to] = /^FOR VALUES FROM \('?(\w+)'?\) TO \('?(\w+)'?\)$/.exec(bounds) ?? [];
      return from === undefined || to === undefined
        ? []
        : [{ name, startMs: timeOf(from), endMs: timeOf(to) }];
    })
    .toSorted((a, b) => a.startMs - b.startMs);
}

/** Periods without a partition, with the number of their rows that are in the default one, up to a limit. */
async function countOutside(
  db: Db,
  partitioning: Partitioning,
  periods: readonly Period[],
  limit: number,
): Promise<(Period & { rows: number })[]> {
  const existing = await listPartitions(db, partitioning);
  const missing = periods.filter(
    ({ startMs, endMs }) => !existing.some((each) => each.startMs < endMs && each.endMs > startMs),
  );
  if (missing.length === 0) {
    return [];
  }
  const time = sql.ref(partitioning.time);
  const { rows } = await sql<Period & { rows: number }>`
    select start_ms as "startMs", end_ms as "endMs", (select count(*) from (
        select 1 from ${sql.table(outsidePartitions(partitioning.table))}
        where ${time} >= start_ms and ${time} < end_ms limit ${limit}) as counted) as rows
    from unnest(${missing.map(({ startMs }) => startMs)}::bigint[], ${missing.map(({ endMs }) => endMs)}::bigint[])
      as period (start_ms, end_ms)`.execute(db);
  return rows;
}

export interface WantedPartitions {
  periods: readonly Period[];
  /** Periods that end after this get a partition even if they have no rows yet. */
  emptyAfterMs: number;
  /** A period with more rows in the default partition stays there: moving them would take too long. */
  maxRows?: number;
}

/** Makes the partitions of the periods that have none, and moves their rows from the default one. Returns their names. */
export async function createPartitions(
  db: Db,
  partitioning: Partitioning,
  wanted: WantedPartitions,
): Promise<string[]> {
  return (await findWanted(db, partitioning, wanted)).length === 0
    ? []
    : inShortTransaction(db, (trx) => createPartitionsIn(trx, partitioning, wanted));
}

/** The same in a transaction. */
export async function createPartitionsIn(
  trx: Db,
  partitioning: Partitioning,
  wanted: WantedPartitions,
): Promise<string[]> {
  // One node at a time; rows can be written meanwhile.
  await sql`lock table only ${sql.table(partitioning.table)} in share update exclusive mode`.execute(trx);
  const names: string[] = [];
  for (const period of await findWanted(trx, partitioning, wanted)) {
    names.push(await createPartition(trx, partitioning, period));
  }
  return names;
}

async function findWanted(
  db: Db,
  partitioning: Partitioning,
  { periods, emptyAfterMs, maxRows = MAX_MOVED_ROWS }: WantedPartitions,
): Promise<Period[]> {
  const counted = await countOutside(db, partitioning, periods, maxRows + 1);
  return counted.filter(({ rows, endMs }) => rows <= maxRows && (rows > 0 || endMs > emptyAfterMs));
}

async function createPartition(trx: Db, partitioning: Partitioning, period: Period): Promise<string> {
  const { table, key, keyAt } = partitioning;
  const name = partitionName(partitioning, period);
  const outside = sql.table(outsidePartitions(table));
  const [from, to] = [sql.lit(keyAt(period.startMs)), sql.lit(keyAt(period.endMs))];
  await sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`.execute(trx);
  await sql`lock table ${outside} in access exclusive mode`.execute(trx);
  await sql`with moved as (delete from ${outside} where ${sql.ref(key)} >= ${from} and ${sql.ref(key)} < ${to} returning *)
    insert into ${sql.table(name)} select * from moved`.execute(trx);
  await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)} for values from (${from}) to (${to})`.execute(
    trx,
  );
  return name;
}

/**
 * Drops the partitions of periods that end at `endMs` or before. Rows that are to be kept nevertheless go to the default
 * partition: plays that started since `keptSinceMs`, and samples that are not rolled up. Returns the names of the dropped.
 */
export async function dropPartitions(
  db: Db,
  partitioning: Partitioning,
  { endMs, keptSinceMs }: { endMs: number; keptSinceMs: number },
): Promise<string[]> {
  const dropped: string[] = [];
  const parent = sql.table(partitioning.table);
  const old = (await listPartitions(db, partitioning)).filter((partition) => partition.endMs <= endMs);
  for (const partition of old) {
    const isDropped = await inShortTransaction(db, async (trx) => {
      // `detach … concurrently` needs a table without a default partition.
      await sql`lock table only ${parent} in access exclusive mode`.execute(trx);
      const kept = await findKept(trx, partitioning, partition, keptSinceMs);
      if (!kept) {
        return false;
      }
      await sql`alter table ${parent} detach partition ${sql.table(partition.name)}`.execute(trx);
      await sql`insert into ${sql.table(outsidePartitions(partitioning.table))} ${kept}`.execute(trx);
      await sql`drop table ${sql.table(partition.name)}`.execute(trx);
      return true;
    });
    if (isDropped) {
      dropped.push(partition.name);
    }
  }
  return dropped;
}

/** A query of the rows of an old partition that are kept; null if there are too many to move. */
async function findKept(
  trx: Db,
  { table, time }: Partitioning,
  { name, endMs }: Partition,
  keptSinceMs: number,
): Promise<RawBuilder<unknown> | null> {
  const partition = sql.table(name);
  if (table !== 'samples') {
    const kept = sql`select * from ${partition} where ${sql.ref(time)} >= ${keptSinceMs}`;
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from (${kept} limit ${MAX_MOVED_ROWS + 1}) as kept`.execute(trx);
    return rows[0]!.rows <= MAX_MOVED_ROWS ? kept : null;
  }
  // A list of devices, so that an index finds their samples: a join of both tables might read all of the partition.
  const { rows: behind } = await sql<{ device: number; rolled_up_until: number }>`
    select device, rolled_up_until from device_live where rolled_up_until < ${endMs} limit ${MAX_DEVICES + 1}`.execute(
    trx,
  );
  return behind.length <= MAX_DEVICES
    ? sql`select ${partition}.* from ${givenRows(behind, { device: 'bigint', rolled_up_until: 'bigint' })}
        join ${partition} on ${partition}.device = given.device and at >= given.rolled_up_until`
    : null;
}

/** Fails if it would have to wait for a lock: what waits behind it are heartbeats and plays. */
const inShortTransaction = <T>(db: Db, run: (trx: Db) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(trx);
      return run(trx);
    });
