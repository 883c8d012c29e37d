import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

const KEY = ['bucket', 'device_id', 'content_id', 'playlist_id'] as const;
const COUNTS = ['plays', 'play_ms', 'completed', 'interrupted', 'failed'] as const;

/** Daily play counts beside the hourly ones, so that totals over a year of a thousand devices stay fast. */
export const playDays: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = engineOf(db).types;
    let table = db.schema
      .createTable('play_days')
      .addColumn('bucket', 'bigint', (c) => c.notNull())
      .addColumn('device_id', text, (c) => c.notNull())
      .addColumn('content_id', text, (c) => c.notNull())
      .addColumn('playlist_id', text, (c) => c.notNull());
    for (const count of COUNTS) {
      table = table.addColumn(count, 'bigint', (c) => c.notNull());
    }
    await table.addPrimaryKeyConstraint('play_days_pk', [...KEY]).execute();
    await sql`insert into play_days (bucket, device_id, content_id, playlist_id, plays, play_ms, completed,
        interrupted, failed)
      select bucket - (bucket % 86400000) as day, device_id, content_id, playlist_id, sum(plays), sum(play_ms),
        sum(completed), sum(interrupted), sum(failed)
      from play_hours group by day, device_id, content_id, playlist_id`.execute(db);
  },
};
