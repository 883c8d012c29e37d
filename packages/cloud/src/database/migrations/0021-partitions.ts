import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { DAY_MS } from '../../domain/durations.ts';
import type { Db } from '../db.ts';
import { engineOf } from '../engine/engine-of.ts';
import { PARTITIONINGS, periodsBetween } from '../postgres/partitioning.ts';
import { createPartitionsIn } from '../postgres/partitions.ts';

/** Rows of these days are moved into partitions; others stay in the default one, until they are too old to be kept. */
const MOVED_DAYS = 2 * 366;

/** The tables with the columns of their partitions, their primary keys, and an index that is named after its columns. */
const TABLES = [
  { table: 'samples', divideBy: 'at', key: 'samples_pkey', columns: ['device', 'at'], index: [] },
  {
    table: 'plays',
    divideBy: 'id',
    key: 'plays_pk',
    columns: ['device_id', 'id'],
    index: ['started_at', 'id'],
  },
  ...(['play_hours', 'play_days'] as const).map((table) => ({
    table,
    divideBy: 'bucket',
    key: `${table}_pk`,
    columns: ['bucket', 'device_id', 'content_id', 'playlist_id'],
    index: [],
  })),
] as const;

/**
 * On PostgreSQL: partitions by time for samples, plays and their counts. The table that was there becomes the default
 * partition, and its rows move to those of their time.
 */
export const partitions: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    if (engine === 'sqlite') {
      return;
    }
    await sql`create table kept_since (name ${types.text} primary key, since ${types.integer} not null)`.execute(
      db,
    );
    for (const { table, divideBy, key, columns, index } of TABLES) {
      const [parent, outside] = [sql.table(table), sql.table(`${table}_default`)];
      await sql`alter table ${parent} rename to ${outside}`.execute(db);
      await sql`alter table ${outside} rename constraint ${sql.ref(key)} to ${sql.ref(`${table}_default_pk`)}`.execute(
        db,
      );
      await sql`create table ${parent} (like ${outside} including defaults) partition by range (${sql.ref(divideBy)})`.execute(
        db,
      );
      await sql`alter table ${parent} add constraint ${sql.ref(key)}
        primary key (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(db);
      if (index.length > 0) {
        const name = index.join('_');
        await sql`alter index ${sql.ref(`${table}_by_${name}`)} rename to ${sql.ref(`${table}_default_by_${name}`)}`.execute(
          db,
        );
        await db.schema
          .createIndex(`${table}_by_${name}`)
          .on(table)
          .columns([...index])
          .execute();
      }
      await sql`alter table ${parent} attach partition ${outside} default`.execute(db);
      await moveRows(db, table);
    }
  },
};

async function moveRows(db: Db, table: (typeof TABLES)[number]['table']): Promise<void> {
  const partitioning = PARTITIONINGS[table];
  const nowMs = Date.now();
  await createPartitionsIn(db, partitioning, {
    periods: periodsBetween(partitioning, nowMs - MOVED_DAYS * DAY_MS, nowMs),
    emptyAfterMs: Infinity,
    maxRows: Number.MAX_SAFE_INTEGER - 1,
  });
}
