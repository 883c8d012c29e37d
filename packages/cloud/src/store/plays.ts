import type { Play } from '@placard/protocol';
import type { PlayGroup } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { deleteInSlices } from './delete-in-slices.ts';
import { countPlays, countPlaysBy, filtered, slicesOf } from './play-counts.ts';
import type { PlayFilter } from './play-counts.ts';
import type { NewRow, Row } from './schema.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Rows of one statement; a row has a dozen values, and databases take some 30,000. */
const ROWS_AT_ONCE = 500;
const ROWS_OF_AN_EXPORT = 1000;
const COUNTS = ['plays', 'play_ms', 'completed', 'interrupted', 'failed'] as const;

function* slices<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    yield rows.slice(start, start + ROWS_AT_ONCE);
}

/** What was shown. Raw rows for the export, counts per hour and day for the charts. */
export function playRepository(db: Db) {
  /** Adds plays to the counts of their hours or days. */
  const addTo = async (
    table: 'play_hours' | 'play_days',
    deviceId: string,
    plays: readonly Play[],
  ): Promise<void> => {
    const stepMs = table === 'play_hours' ? HOUR_MS : DAY_MS;
    const rows = new Map<string, NewRow<'play_hours'>>();
    for (const play of plays) {
      const bucket = Math.floor(Date.parse(play.started_at) / stepMs) * stepMs;
      const playlistId = play.playlist_id ?? '';
      const key = JSON.stringify([bucket, play.content_id, playlistId]);
      const row = rows.get(key) ?? {
        bucket,
        device_id: deviceId,
        content_id: play.content_id,
        playlist_id: playlistId,
        plays: 0,
        play_ms: 0,
        completed: 0,
        interrupted: 0,
        failed: 0,
      };
      row.plays += 1;
      row.play_ms += play.duration_ms;
      row[play.outcome] += 1;
      rows.set(key, row);
    }
    for (const some of slices([...rows.values()]))
      await db
        .insertInto(table)
        .values(some)
        .onConflict((conflict) =>
          conflict
            .columns(['bucket', 'device_id', 'content_id', 'playlist_id'])
            .doUpdateSet(
              Object.fromEntries(
                COUNTS.map((count) => [
                  count,
                  sql`${sql.ref(`${table}.${count}`)} + ${sql.ref(`excluded.${count}`)}`,
                ]),
              ),
            ),
        )
        .execute();
  };

  return {
    /** Stores plays that are not `known`, each id once. */
    async add(deviceId: string, plays: readonly Play[], nowMs: number): Promise<void> {
      for (const some of slices(plays))
        await db
          .insertInto('plays')
          .values(
            some.map((play) => ({
              id: play.id,
              device_id: deviceId,
              content_id: play.content_id,
              playlist_id: play.playlist_id,
              schedule_id: play.schedule_id,
              rule_id: play.rule_id,
              started_at: Date.parse(play.started_at),
              ended_at: Date.parse(play.ended_at),
              duration_ms: play.duration_ms,
              outcome: play.outcome,
              reason: play.reason,
              received_at: nowMs,
            })),
          )
          .execute();
      await addTo('play_hours', deviceId, plays);
      await addTo('play_days', deviceId, plays);
    },
    /** Those of the ids that the device has brought before. */
    async known(deviceId: string, ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom('plays')
        .select('id')
        .where('device_id', '=', deviceId)
        .where('id', 'in', ids)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Plays of a device that started on the day (UTC) that begins then. */
    async countOfDay(deviceId: string, dayMs: number): Promise<number> {
      const row = await db
        .selectFrom('play_days')
        .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('plays'), eb.val(0)).as('n'))
        .where('bucket', '=', dayMs)
        .where('device_id', '=', deviceId)
        .executeTakeFirstOrThrow();
      return row.n;
    },
    /** Forgets plays that started before the instant; counts go by whole hours and days. */
    async deleteBefore(beforeMs: number): Promise<void> {
      await deleteInSlices(db, 'plays', sql<SqlBool>`started_at < ${beforeMs}`);
      await deleteInSlices(db, 'play_hours', sql<SqlBool>`bucket < ${beforeMs - HOUR_MS}`);
      await deleteInSlices(db, 'play_days', sql<SqlBool>`bucket < ${beforeMs - DAY_MS}`);
    },
    countBy: (group: PlayGroup, filter: PlayFilter, exists?: (key: string | number) => boolean) =>
      countPlaysBy(db, group, filter, exists),
    count: (filter: PlayFilter) => countPlays(db, filter),
    /** The plays themselves, oldest first, a slice at a time, so that no export holds anything up. */
    async *export(filter: PlayFilter): AsyncGenerator<Row<'plays'>[]> {
      for await (const slice of slicesOf(db, { table: 'plays', ...filter }, ROWS_OF_AN_EXPORT)) {
        const { rows } = await sql<Row<'plays'>>`select * from ${slice} as p where ${filtered(filter)}
          order by started_at, id, device_id`.execute(db);
        if (rows.length > 0) yield rows;
      }
    },
  };
}
