import type { Play } from '@placard/protocol';
import type { PlayGroup } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { NewRow, Row } from './schema.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface PlayFilter {
  fromMs: number;
  toMs: number;
  deviceId?: string | undefined;
  contentId?: string | undefined;
  playlistId?: string | undefined;
}

export interface PlayCounts {
  plays: number;
  play_ms: number;
  completed: number;
  interrupted: number;
  failed: number;
}

const is = (outcome: Play['outcome']) => sql<number>`case when outcome = ${outcome} then 1 else 0 end`;

/** Rows of one statement; a row has a dozen values, and databases take some 30,000. */
const ROWS_AT_ONCE = 500;
const COUNTS = ['plays', 'play_ms', 'completed', 'interrupted', 'failed'] as const;

/** The steps that lie wholly in `[fromMs, toMs)`: from the start of the first to the end of the last. */
function wholeSteps(fromMs: number, toMs: number, stepMs: number): { firstMs: number; endMs: number } {
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  return { firstMs, endMs: Math.max(firstMs, Math.floor(toMs / stepMs) * stepMs) };
}

function* slices<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    yield rows.slice(start, start + ROWS_AT_ONCE);
}

/** What was shown. Raw rows for the export, counts per hour and day for the charts. */
export function playRepository(db: Db) {
  /**
   * Whole days and hours from the counts, the ends of the range from the plays themselves: exact, and never a
   * scan. Days are left out where hours are asked for.
   */
  const counted = (filter: PlayFilter, byHour = false) => {
    const { fromMs, toMs, deviceId, contentId, playlistId } = filter;
    const hours = wholeSteps(fromMs, toMs, HOUR_MS);
    const days = byHour ? { firstMs: hours.firstMs, endMs: hours.firstMs } : wholeSteps(fromMs, toMs, DAY_MS);
    const buckets = (table: 'play_hours' | 'play_days') =>
      db
        .selectFrom(table)
        .select(['bucket', 'device_id', 'content_id', 'playlist_id'])
        .select(['plays', 'play_ms', 'completed', 'interrupted', 'failed']);
    const parts = buckets('play_days')
      .where('bucket', '>=', days.firstMs)
      .where('bucket', '<', days.endMs)
      .unionAll(
        buckets('play_hours')
          .where('bucket', '>=', hours.firstMs)
          .where('bucket', '<', hours.endMs)
          .where((eb) => eb.or([eb('bucket', '<', days.firstMs), eb('bucket', '>=', days.endMs)])),
      )
      .unionAll(
        db
          .selectFrom('plays')
          .select([
            sql<number>`started_at - (started_at % ${HOUR_MS})`.as('bucket'),
            'device_id',
            'content_id',
            sql<string>`coalesce(playlist_id, '')`.as('playlist_id'),
            sql<number>`1`.as('plays'),
            'duration_ms as play_ms',
            is('completed').as('completed'),
            is('interrupted').as('interrupted'),
            is('failed').as('failed'),
          ])
          .where('started_at', '>=', fromMs)
          .where('started_at', '<', toMs)
          .where((eb) => eb.or([eb('started_at', '<', hours.firstMs), eb('started_at', '>=', hours.endMs)])),
      );
    let query = db.selectFrom(parts.as('c'));
    if (deviceId !== undefined) query = query.where('c.device_id', '=', deviceId);
    if (contentId !== undefined) query = query.where('c.content_id', '=', contentId);
    if (playlistId !== undefined) query = query.where('c.playlist_id', '=', playlistId);
    return query;
  };

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
      await db.deleteFrom('plays').where('started_at', '<', beforeMs).execute();
      await db
        .deleteFrom('play_hours')
        .where('bucket', '<', beforeMs - HOUR_MS)
        .execute();
      await db
        .deleteFrom('play_days')
        .where('bucket', '<', beforeMs - DAY_MS)
        .execute();
    },
    /** Counts by something; the key is '' for plays without one. */
    async countBy(group: PlayGroup, filter: PlayFilter): Promise<(PlayCounts & { key: string | number })[]> {
      const key = {
        content: sql<string | number>`c.content_id`,
        playlist: sql<string | number>`c.playlist_id`,
        device: sql<string | number>`c.device_id`,
        store: sql<
          string | number
        >`coalesce((select d.store_id from devices d where d.id = c.device_id), '')`,
        hour: sql<string | number>`c.bucket`,
        day: sql<string | number>`c.bucket - (c.bucket % ${DAY_MS})`,
      }[group];
      return counted(filter, group === 'hour')
        .select(key.as('key'))
        .select((eb) => [
          eb.fn.sum<number>('c.plays').as('plays'),
          eb.fn.sum<number>('c.play_ms').as('play_ms'),
          eb.fn.sum<number>('c.completed').as('completed'),
          eb.fn.sum<number>('c.interrupted').as('interrupted'),
          eb.fn.sum<number>('c.failed').as('failed'),
        ])
        .groupBy('key')
        .orderBy(group === 'hour' || group === 'day' ? sql`key asc` : sql`plays desc, key asc`)
        .execute();
    },
    async count(filter: PlayFilter): Promise<PlayCounts> {
      const row = await counted(filter)
        .select((eb) => [
          eb.fn.coalesce(eb.fn.sum<number>('c.plays'), eb.val(0)).as('plays'),
          eb.fn.coalesce(eb.fn.sum<number>('c.play_ms'), eb.val(0)).as('play_ms'),
          eb.fn.coalesce(eb.fn.sum<number>('c.completed'), eb.val(0)).as('completed'),
          eb.fn.coalesce(eb.fn.sum<number>('c.interrupted'), eb.val(0)).as('interrupted'),
          eb.fn.coalesce(eb.fn.sum<number>('c.failed'), eb.val(0)).as('failed'),
        ])
        .executeTakeFirstOrThrow();
      return row;
    },
    /** The plays themselves, oldest first, a slice at a time, so that no export holds anything up. */
    async *export(filter: PlayFilter): AsyncGenerator<Row<'plays'>[]> {
      const { deviceId, contentId, playlistId } = filter;
      let after: { started_at: number; id: string; device_id: string } | null = null;
      for (;;) {
        let query = db
          .selectFrom('plays')
          .selectAll()
          .where('started_at', '>=', filter.fromMs)
          .where('started_at', '<', filter.toMs);
        if (deviceId !== undefined) query = query.where('device_id', '=', deviceId);
        if (contentId !== undefined) query = query.where('content_id', '=', contentId);
        if (playlistId !== undefined) query = query.where('playlist_id', '=', playlistId);
        if (after) {
          const { started_at: at, id, device_id: device } = after;
          query = query.where((eb) =>
            eb.or([
              eb('started_at', '>', at),
              eb.and([eb('started_at', '=', at), eb('id', '>', id)]),
              eb.and([eb('started_at', '=', at), eb('id', '=', id), eb('device_id', '>', device)]),
            ]),
          );
        }
        const rows: Row<'plays'>[] = await query
          .orderBy('started_at')
          .orderBy('id')
          .orderBy('device_id')
          .limit(1000)
          .execute();
        if (rows.length > 0) yield rows;
        const last = rows.at(-1);
        if (!last || rows.length < 1000) return;
        after = last;
      }
    },
  };
}
