import { DAY_MS } from '../../domain/durations.ts';
import { DEFAULT_RETENTION, RESENT_MS } from '../../domain/retention.ts';
import type { Retention } from '../../domain/retention.ts';
import type { Db } from '../db.ts';
import { playsKeptSince } from '../plays.ts';
import { PARTITIONED_TABLES } from '../schema.ts';
import type { PartitionedTable } from '../schema.ts';
import { PARTITIONINGS, periodOf, periodsBetween } from './partitioning.ts';
import type { Partitioning } from './partitioning.ts';
import { createPartitions, createPartitionsIn, dropPartitions } from './partitions.ts';

type KeptTimes = Pick<Retention, 'minuteDays' | 'playDays'>;

/** From when on rows are kept. */
const keptSince = (nowMs: number, { minuteDays, playDays }: KeptTimes): Record<PartitionedTable, number> => ({
  samples: nowMs - minuteDays * DAY_MS,
  ...playsKeptSince(nowMs - playDays * DAY_MS),
});

/** Until when partitions are dropped. A sample that is sent again is found in its own, also when minutes are kept for less. */
const droppedUntil = (table: PartitionedTable, keptSinceMs: number, nowMs: number): number =>
  table === 'samples' ? Math.min(keptSinceMs, nowMs - RESENT_MS) : keptSinceMs;

/**
 * Sets from when on rows are kept, drops the partitions that are older, and makes those of the time to come and of rows that
 * are in none. Any node may do it at any time; one that would have to wait for a lock fails, and does it next time.
 */
export async function maintainPartitions(
  db: Db,
  { nowMs, retention }: { nowMs: number; retention: KeptTimes },
): Promise<void> {
  const since = keptSince(nowMs, retention);
  await db
    .insertInto('kept_since')
    .values(PARTITIONED_TABLES.map((name) => ({ name, since: since[name] })))
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ since: eb.ref('excluded.since') })),
    )
    .execute();
  for (const table of PARTITIONED_TABLES) {
    const partitioning = PARTITIONINGS[table];
    const endMs = droppedUntil(table, since[table], nowMs);
    const periods = periodsBetween(partitioning, endMs, lastAhead(partitioning, nowMs));
    await createPartitions(db, partitioning, { periods, emptyAfterMs: nowMs });
    await dropPartitions(db, partitioning, { endMs, keptSinceMs: since[table] });
  }
}

/** In a transaction: makes the partitions of all rows that are kept by default, before they are copied. */
export async function createAllPartitions(trx: Db, nowMs: number): Promise<void> {
  const since = keptSince(nowMs, DEFAULT_RETENTION);
  for (const table of PARTITIONED_TABLES) {
    const partitioning = PARTITIONINGS[table];
    const firstMs = droppedUntil(table, since[table], nowMs);
    const periods = periodsBetween(partitioning, firstMs, lastAhead(partitioning, nowMs));
    await createPartitionsIn(trx, partitioning, { periods, emptyAfterMs: 0 });
  }
}

/** In the last period of which the partition is made before its time. */
function lastAhead(partitioning: Partitioning, nowMs: number): number {
  let lastMs = nowMs;
  for (let ahead = 0; ahead < partitioning.ahead; ahead++) {
    lastMs = periodOf(partitioning, lastMs).endMs;
  }
  return lastMs;
}
