import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from '../db.ts';
import { dayOf } from '../ordinary-plays.ts';
import type { ArrivedPlays, RecordedPlays } from '../ordinary-plays.ts';
import { countPerBucket } from '../plays.ts';
import type { NewRow } from '../schema.ts';
import { givenRows } from './given-rows.ts';

/**
 * Records plays of which none can be refused, in a transaction: one statement reads what decides that for all requests, and
 * three write. At most one request per device; those that are not ordinary have no result.
 */
export async function recordOrdinaryPlays(
  trx: Db,
  arrived: readonly ArrivedPlays[],
): Promise<Map<string, RecordedPlays>> {
  const countsOf = await readCounts(trx, arrived);
  const ordinary = arrived.filter(({ deviceId, plays, maxPerDay }) => {
    const counts = countsOf.get(deviceId);
    const perDay = Map.groupBy(plays, dayOf);
    return (
      counts && [...perDay].every(([dayMs, ofDay]) => (counts.get(dayMs) ?? 0) + ofDay.length <= maxPerDay)
    );
  });
  const added = await insertPlays(trx, ordinary);
  const newRows: Counts = { play_hours: [], play_days: [] };
  const recorded = new Map<string, RecordedPlays>();
  for (const { deviceId, plays } of ordinary) {
    // A play that occurs twice in a request is new once.
    const newPlays = plays.filter(({ id }) => added.delete(keyOf(deviceId, id)));
    const counts = countPerBucket(deviceId, newPlays);
    newRows.play_hours.push(...counts.play_hours);
    newRows.play_days.push(...counts.play_days);
    const countsByDay = new Map(countsOf.get(deviceId));
    for (const { bucket, plays: addedCount } of counts.play_days) {
      countsByDay.set(bucket, (countsByDay.get(bucket) ?? 0) + addedCount);
    }
    recorded.set(deviceId, { newCount: newPlays.length, countsByDay });
  }
  await addToCounts(trx, 'play_hours', newRows.play_hours);
  await addToCounts(trx, 'play_days', newRows.play_days);
  return recorded;
}

type Counts = ReturnType<typeof countPerBucket>;

/** The plays that are stored for each day of each request, of the devices that exist. */
async function readCounts(
  trx: Db,
  arrived: readonly ArrivedPlays[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  // A request without plays asks for its device alone.
  const asked = arrived.flatMap(({ deviceId, plays }) => {
    const days = new Set<number | null>(plays.map(dayOf));
    return [...(days.size === 0 ? days.add(null) : days)].map((day) => ({ device_id: deviceId, day }));
  });
  const { rows } = await sql<{ device_id: string; day: number | null; plays: number }>`
    select given.device_id, given.day, coalesce((select sum(plays) from play_days
      where play_days.bucket = given.day and play_days.device_id = given.device_id), 0) as plays
    from ${givenRows(asked, { device_id: 'text', day: 'bigint' })}
    join devices on devices.id = given.device_id`.execute(trx);
  const byDevice = Map.groupBy(rows, (row) => row.device_id);
  return new Map(
    arrived.flatMap(({ deviceId, countOf }) => {
      const counts = byDevice
        .get(deviceId)
        ?.flatMap(({ day, plays }): [number, number][] =>
          day === null ? [] : [[day, countOf(day) ?? plays]],
        );
      return counts ? [[deviceId, new Map(counts)]] : [];
    }),
  );
}

/** Returns the keys of the plays that were not stored yet. */
async function insertPlays(trx: Db, requests: readonly ArrivedPlays[]): Promise<Set<string>> {
  const plays = requests.flatMap((request) =>
    request.plays.map((play) => ({ ...play, device_id: request.deviceId, received_at: request.nowMs })),
  );
  if (plays.length === 0) {
    return new Set();
  }
  const given = givenRows(plays, {
    id: 'text',
    device_id: 'text',
    content_id: 'text',
    playlist_id: 'text',
    schedule_id: 'text',
    rule_id: 'text',
    started_at: 'bigint',
    ended_at: 'bigint',
    duration_ms: 'bigint',
    outcome: 'text',
    reason: 'text',
    received_at: 'bigint',
  });
  const { rows } = await sql<{ device_id: string; id: string }>`
    insert into plays (id, device_id, content_id, playlist_id, schedule_id, rule_id, started_at, ended_at, duration_ms,
      outcome, reason, received_at)
    select * from ${given} on conflict (device_id, id) do nothing returning device_id, id`.execute(trx);
  return new Set(rows.map(({ device_id, id }) => keyOf(device_id, id)));
}

async function addToCounts(
  trx: Db,
  table: keyof Counts,
  rows: readonly NewRow<'play_hours'>[],
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const sum = (column: string): RawBuilder<unknown> =>
    sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
  const given = givenRows(rows, {
    bucket: 'bigint',
    device_id: 'text',
    content_id: 'text',
    playlist_id: 'text',
    plays: 'bigint',
    play_ms: 'bigint',
    completed: 'bigint',
    interrupted: 'bigint',
    failed: 'bigint',
  });
  await sql`insert into ${sql.table(table)}
      (bucket, device_id, content_id, playlist_id, plays, play_ms, completed, interrupted, failed)
    select * from ${given}
    on conflict (bucket, device_id, content_id, playlist_id) do update set
      ${sql.join(['plays', 'play_ms', 'completed', 'interrupted', 'failed'].map(sum))}`.execute(trx);
}

const keyOf = (deviceId: string, playId: string): string => `${playId} ${deviceId}`;
