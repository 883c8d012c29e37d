import type { PlayGroup } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from './database.ts';
import { turn } from './turn.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows that one statement goes through: everybody else waits for so many. */
const ROWS_OF_A_SLICE = 10_000;
/** Groups beside those of things that exist: plays can name what was deleted, or never was. */
const MOST_OTHERS = 10_000;

export interface PlayFilter {
  fromMs: number;
  toMs: number;
  deviceId?: string | undefined;
  contentId?: string | undefined;
  playlistId?: string | undefined;
  /** Aborted when nobody waits for it any more: the rest is left out. */
  signal?: AbortSignal | undefined;
}

export interface PlayCounts {
  plays: number;
  play_ms: number;
  completed: number;
  interrupted: number;
  failed: number;
}

type Counted = PlayCounts & { key: string | number };

const NOTHING: PlayCounts = { plays: 0, play_ms: 0, completed: 0, interrupted: 0, failed: 0 };

/** The columns that give each row of a table its place, time first; all in an index. */
const PLACES = {
  plays: ['started_at', 'id', 'device_id'],
  play_hours: ['bucket', 'device_id', 'content_id', 'playlist_id'],
  play_days: ['bucket', 'device_id', 'content_id', 'playlist_id'],
} as const;

interface Part {
  table: keyof typeof PLACES;
  fromMs: number;
  toMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * The rows of a part, oldest first, as subqueries of at most `size` rows. Others have their turn before each, also where
 * a filter finds nothing in it.
 */
export async function* slicesOf(
  db: Db,
  { table, fromMs, toMs, signal }: Part,
  size = ROWS_OF_A_SLICE,
): AsyncGenerator<RawBuilder<unknown>> {
  const place = sql.join(PLACES[table].map((column) => sql.ref(column)));
  const time = sql.ref(PLACES[table][0]);
  let lower = sql`${time} >= ${fromMs}`;
  for (;;) {
    await turn();
    if (signal?.aborted) return;
    const where = sql`from ${sql.table(table)} where ${lower} and ${time} < ${toMs} order by ${place}`;
    const { rows } = await sql<
      Record<string, string | number>
    >`select ${place} ${where} limit 1 offset ${size - 1}`.execute(db);
    yield sql`(select * ${where} limit ${size})`;
    const last = rows[0];
    if (!last) return;
    lower = sql`(${place}) > (${sql.join(PLACES[table].map((column) => last[column]))})`;
  }
}

/** The steps that lie wholly in `[fromMs, toMs)`: from the start of the first to the end of the last. */
function wholeSteps(fromMs: number, toMs: number, stepMs: number): { firstMs: number; endMs: number } {
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  return { firstMs, endMs: Math.max(firstMs, Math.floor(toMs / stepMs) * stepMs) };
}

/**
 * Whole days and hours from the counts, the ends of the range from the plays themselves. Days are left out where hours
 * are asked for.
 */
function partsOf({ fromMs, toMs }: PlayFilter, byHour: boolean): Part[] {
  const hours = wholeSteps(fromMs, toMs, HOUR_MS);
  const days = byHour ? { firstMs: hours.endMs, endMs: hours.endMs } : wholeSteps(fromMs, toMs, DAY_MS);
  const parts: Part[] = [
    { table: 'plays', fromMs, toMs: Math.min(hours.firstMs, toMs) },
    { table: 'play_hours', fromMs: hours.firstMs, toMs: Math.min(days.firstMs, hours.endMs) },
    { table: 'play_days', fromMs: days.firstMs, toMs: days.endMs },
    { table: 'play_hours', fromMs: Math.max(days.endMs, hours.firstMs), toMs: hours.endMs },
    { table: 'plays', fromMs: Math.max(hours.endMs, hours.firstMs), toMs },
  ];
  return parts.filter((part) => part.fromMs < part.toMs);
}

export const filtered = ({ deviceId, contentId, playlistId }: PlayFilter) => {
  const wanted = { device_id: deviceId, content_id: contentId, playlist_id: playlistId };
  const conditions = Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  );
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
};

/** Counts by something, or all of it as one group; the key is '' for plays without one. */
async function countIn(
  db: Db,
  group: PlayGroup | null,
  filter: PlayFilter,
  take: (row: Counted) => void,
): Promise<void> {
  for (const part of partsOf(filter, group === 'hour')) {
    const isRaw = part.table === 'plays';
    const bucket = isRaw ? sql`started_at - (started_at % ${HOUR_MS})` : sql`bucket`;
    const key =
      group === null
        ? sql`''`
        : {
            content: sql`content_id`,
            playlist: sql`coalesce(playlist_id, '')`,
            device: sql`device_id`,
            store: sql`coalesce((select d.store_id from devices d where d.id = c.device_id), '')`,
            hour: bucket,
            day: sql`(${bucket}) - ((${bucket}) % ${DAY_MS})`,
          }[group];
    const sums = isRaw
      ? sql`count(*) as plays, sum(duration_ms) as play_ms, sum(outcome = 'completed') as completed,
          sum(outcome = 'interrupted') as interrupted, sum(outcome = 'failed') as failed`
      : sql`sum(plays) as plays, sum(play_ms) as play_ms, sum(completed) as completed,
          sum(interrupted) as interrupted, sum(failed) as failed`;
    for await (const slice of slicesOf(db, { ...part, signal: filter.signal })) {
      const { rows } = await sql<Counted>`select ${key} as "key", ${sums} from ${slice} as c
        where ${filtered(filter)} group by 1`.execute(db);
      for (const row of rows) take(row);
    }
  }
}

const add = (sum: PlayCounts, row: PlayCounts): PlayCounts => ({
  plays: sum.plays + row.plays,
  play_ms: sum.play_ms + row.play_ms,
  completed: sum.completed + row.completed,
  interrupted: sum.interrupted + row.interrupted,
  failed: sum.failed + row.failed,
});

export async function countPlays(db: Db, filter: PlayFilter): Promise<PlayCounts> {
  let sum = NOTHING;
  await countIn(db, null, filter, (row) => (sum = add(sum, row)));
  return sum;
}

/**
 * Counts by something, hours and days in order of time, all else most plays first; the key is '' for plays without one.
 * What `exists` is always counted by itself, and of all else 10,000 things; the rest of it goes to ''.
 */
export async function countPlaysBy(
  db: Db,
  group: PlayGroup,
  filter: PlayFilter,
  exists: (key: string | number) => boolean = () => true,
): Promise<Counted[]> {
  const groups = new Map<string | number, PlayCounts>();
  let others = 0;
  await countIn(db, group, filter, ({ key: own, ...row }) => {
    const isNew = !groups.has(own) && !exists(own);
    const key = isNew && others >= MOST_OTHERS ? '' : own;
    if (isNew && key === own) others += 1;
    groups.set(key, add(groups.get(key) ?? NOTHING, row));
  });
  const rows = [...groups].map(([key, counts]) => ({ key, ...counts }));
  return rows.toSorted((a, b) => {
    const byPlays = group === 'hour' || group === 'day' ? 0 : b.plays - a.plays;
    return byPlays || (a.key < b.key ? -1 : 1);
  });
}
