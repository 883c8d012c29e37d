import type { PlayGroup } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { DAY_MS, HOUR_MS } from '../domain/durations.ts';
import type { Db } from './db.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { slicesOf } from './paging.ts';
import { countPlays, countPlaysBy, playConditions, batchesOf } from './play-counts.ts';
import type { PlayFilter } from './play-counts.ts';
import type { NewRow, Row } from './schema.ts';

/** Rows per statement; a row has a dozen values, and databases accept about 30,000. */
const ROWS_PER_STATEMENT = 500;
const EXPORT_BATCH_ROWS = 1000;
const COUNT_COLUMNS = ['plays', 'play_ms', 'completed', 'interrupted', 'failed'] as const;

/** A play as a device has reported it; times in ms since 1970. */
export type ReportedPlay = Omit<Row<'plays'>, 'device_id' | 'received_at'>;

type CountRow = NewRow<'play_hours'>;

/** Rows of counts by their key; the length makes the key unambiguous, whatever characters ids have. */
function createCountRows(deviceId: string) {
  const rows = new Map<string, CountRow>();
  return {
    rows,
    find(bucket: number, contentId: string, playlistId: string): CountRow {
      const key = `${bucket} ${contentId.length} ${contentId}${playlistId}`;
      let row = rows.get(key);
      if (!row) {
        row = {
          bucket,
          device_id: deviceId,
          content_id: contentId,
          playlist_id: playlistId,
          plays: 0,
          play_ms: 0,
          completed: 0,
          interrupted: 0,
          failed: 0,
        };
        rows.set(key, row);
      }
      return row;
    },
  };
}

/** The plays of a device as rows of `play_hours` and `play_days`: one for each bucket, asset and playlist. */
export function countPerBucket(
  deviceId: string,
  plays: readonly ReportedPlay[],
): { play_hours: CountRow[]; play_days: CountRow[] } {
  const hours = createCountRows(deviceId);
  for (const play of plays) {
    const hourMs = Math.floor(play.started_at / HOUR_MS) * HOUR_MS;
    const row = hours.find(hourMs, play.content_id, play.playlist_id ?? '');
    row.plays += 1;
    row.play_ms += play.duration_ms;
    row[play.outcome] += 1;
  }
  const days = createCountRows(deviceId);
  for (const hour of hours.rows.values()) {
    const dayMs = Math.floor(hour.bucket / DAY_MS) * DAY_MS;
    const row = days.find(dayMs, hour.content_id, hour.playlist_id);
    for (const count of COUNT_COLUMNS) {
      row[count] += hour[count];
    }
  }
  return { play_hours: [...hours.rows.values()], play_days: [...days.rows.values()] };
}

/** The times of the rows that are kept with the plays since `sinceMs`: an hour or a day may have begun before. */
export const playsKeptSince = (sinceMs: number) => ({
  plays: sinceMs,
  play_hours: sinceMs - HOUR_MS,
  play_days: sinceMs - DAY_MS,
});

/** Plays: single rows for the export, counts per hour and day for charts. */
export function playRepository(db: Db) {
  const addToCounts = async (table: 'play_hours' | 'play_days', rows: readonly CountRow[]): Promise<void> => {
    for (const batch of slicesOf(rows, ROWS_PER_STATEMENT)) {
      await db
        .insertInto(table)
        .values(batch)
        .onConflict((conflict) =>
          conflict
            .columns(['bucket', 'device_id', 'content_id', 'playlist_id'])
            .doUpdateSet(
              Object.fromEntries(
                COUNT_COLUMNS.map((count) => [
                  count,
                  sql`${sql.ref(`${table}.${count}`)} + ${sql.ref(`excluded.${count}`)}`,
                ]),
              ),
            ),
        )
        .execute();
    }
  };

  return {
    /** Stores new plays; their ids must not exist yet. */
    async add(deviceId: string, plays: readonly ReportedPlay[], nowMs: number): Promise<void> {
      for (const batch of slicesOf(plays, ROWS_PER_STATEMENT)) {
        await db
          .insertInto('plays')
          .values(
            batch.map((play) => ({
              id: play.id,
              device_id: deviceId,
              content_id: play.content_id,
              playlist_id: play.playlist_id,
              schedule_id: play.schedule_id,
              rule_id: play.rule_id,
              started_at: play.started_at,
              ended_at: play.ended_at,
              duration_ms: play.duration_ms,
              outcome: play.outcome,
              reason: play.reason,
              received_at: nowMs,
            })),
          )
          .execute();
      }
      const counts = countPerBucket(deviceId, plays);
      await addToCounts('play_hours', counts.play_hours);
      await addToCounts('play_days', counts.play_days);
    },
    /** The ids that the device has reported before. */
    async findExistingIds(deviceId: string, ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) {
        return new Set();
      }
      const rows = await db
        .selectFrom('plays')
        .select('id')
        .where('device_id', '=', deviceId)
        .where('id', 'in', ids)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Number of plays of a device on the UTC day that starts at `dayMs`. */
    async countOnDay(deviceId: string, dayMs: number): Promise<number> {
      const row = await db
        .selectFrom('play_days')
        .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('plays'), eb.val(0)).as('n'))
        .where('bucket', '=', dayMs)
        .where('device_id', '=', deviceId)
        .executeTakeFirstOrThrow();
      return row.n;
    },
    /** Deletes plays that started before the timestamp, and counts by whole hours and days; those in partitions stay. */
    async deleteBefore(beforeMs: number): Promise<void> {
      const since = playsKeptSince(beforeMs);
      await deleteInBatches(db, 'plays', sql<SqlBool>`started_at < ${since.plays}`);
      await deleteInBatches(db, 'play_hours', sql<SqlBool>`bucket < ${since.play_hours}`);
      await deleteInBatches(db, 'play_days', sql<SqlBool>`bucket < ${since.play_days}`);
    },
    countBy: (group: PlayGroup, filter: PlayFilter, exists?: (key: string | number) => boolean) =>
      countPlaysBy(db, group, filter, exists),
    count: (filter: PlayFilter) => countPlays(db, filter),
    /** Single plays, oldest first, in batches, so that an export does not block other work. */
    async *export(filter: PlayFilter): AsyncGenerator<Row<'plays'>[]> {
      for await (const slice of batchesOf(db, { table: 'plays', ...filter }, EXPORT_BATCH_ROWS)) {
        const { rows } = await sql<Row<'plays'>>`select * from ${slice} as p where ${playConditions(filter)}
          order by started_at, id, device_id`.execute(db);
        if (rows.length > 0) {
          yield rows;
        }
      }
    },
  };
}
