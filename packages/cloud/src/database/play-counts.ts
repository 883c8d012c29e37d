import type { Play } from '@placard/protocol';
import type { PlayGroup } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { DAY_MS, HOUR_MS } from '../domain/durations.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { nextEventLoopTurn } from '../event-loop/next-turn.ts';

/** Rows scanned per statement; all other work waits during a statement. */
const BATCH_ROWS = 10_000;
/** Maximum number of groups for unknown keys: plays can reference deleted or invented ids. */
const MAX_UNKNOWN_GROUPS = 10_000;

export interface PlayFilter {
  fromMs: number;
  toMs: number;
  deviceId?: string | undefined;
  contentId?: string | undefined;
  playlistId?: string | undefined;
  /** Aborts the query when the client has gone; the result is then incomplete. */
  signal?: AbortSignal | undefined;
}

export interface PlayCounts {
  plays: number;
  play_ms: number;
  completed: number;
  interrupted: number;
  failed: number;
}

type GroupCounts = PlayCounts & { key: string | number };

const ZERO_COUNTS: PlayCounts = { plays: 0, play_ms: 0, completed: 0, interrupted: 0, failed: 0 };

/** Columns for keyset pagination, time first; all covered by an index. */
const KEYSET_COLUMNS = {
  plays: ['started_at', 'id', 'device_id'],
  play_hours: ['bucket', 'device_id', 'content_id', 'playlist_id'],
  play_days: ['bucket', 'device_id', 'content_id', 'playlist_id'],
} as const;

interface CountRange {
  table: keyof typeof KEYSET_COLUMNS;
  fromMs: number;
  toMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * The rows of a range, oldest first, as subqueries of at most `size` rows. Yields to the event loop before each
 * batch, even if a filter matches nothing in it.
 */
export async function* batchesOf(
  db: Db,
  { table, fromMs, toMs, signal }: CountRange,
  size = BATCH_ROWS,
): AsyncGenerator<RawBuilder<unknown>> {
  const keyset = sql.join(KEYSET_COLUMNS[table].map((column) => sql.ref(column)));
  const time = sql.ref(KEYSET_COLUMNS[table][0]);
  const onlyKept = engineOf(db).onlyKept(table, time);
  let lower = sql`${time} >= ${fromMs}`;
  for (;;) {
    await nextEventLoopTurn();
    if (signal?.aborted) {
      return;
    }
    const where = sql`from ${sql.table(table)} where ${lower} and ${time} < ${toMs} ${onlyKept} order by ${keyset}`;
    const { rows } = await sql<
      Record<string, string | number>
    >`select ${keyset} ${where} limit 1 offset ${size - 1}`.execute(db);
    yield sql`(select * ${where} limit ${size})`;
    const last = rows[0];
    if (!last) {
      return;
    }
    lower = sql`(${keyset}) > (${sql.join(KEYSET_COLUMNS[table].map((column) => last[column]))})`;
  }
}

/** The whole steps within `[fromMs, toMs)`: start of the first and end of the last. */
function wholeSteps(fromMs: number, toMs: number, stepMs: number): { firstMs: number; endMs: number } {
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  return { firstMs, endMs: Math.max(firstMs, Math.floor(toMs / stepMs) * stepMs) };
}

/**
 * Covers whole days and hours with the precomputed counts and the ends of the range with single plays. `byHour` uses
 * no daily counts.
 */
function splitRange({ fromMs, toMs }: PlayFilter, byHour: boolean): CountRange[] {
  const hours = wholeSteps(fromMs, toMs, HOUR_MS);
  const days = byHour ? { firstMs: hours.endMs, endMs: hours.endMs } : wholeSteps(fromMs, toMs, DAY_MS);
  const parts: CountRange[] = [
    { table: 'plays', fromMs, toMs: Math.min(hours.firstMs, toMs) },
    { table: 'play_hours', fromMs: hours.firstMs, toMs: Math.min(days.firstMs, hours.endMs) },
    { table: 'play_days', fromMs: days.firstMs, toMs: days.endMs },
    { table: 'play_hours', fromMs: Math.max(days.endMs, hours.firstMs), toMs: hours.endMs },
    { table: 'plays', fromMs: Math.max(hours.endMs, hours.firstMs), toMs },
  ];
  return parts.filter((part) => part.fromMs < part.toMs);
}

export const playConditions = ({ deviceId, contentId, playlistId }: PlayFilter) => {
  const wanted = { device_id: deviceId, content_id: contentId, playlist_id: playlistId };
  const conditions = Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  );
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
};

const countOf = (outcome: Play['outcome']) =>
  sql`count(*) filter (where outcome = ${sql.lit(outcome)}) as ${sql.ref(outcome)}`;

/**
 * Reports counts per group, or one total for null; the key is '' for plays without one. A key may be reported several
 * times.
 */
async function forEachCount(
  db: Db,
  group: PlayGroup | null,
  filter: PlayFilter,
  onRow: (row: GroupCounts) => void,
): Promise<void> {
  for (const part of splitRange(filter, group === 'hour')) {
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
      ? sql`count(*) as plays, sum(duration_ms) as play_ms, ${countOf('completed')}, ${countOf('interrupted')},
          ${countOf('failed')}`
      : sql`sum(plays) as plays, sum(play_ms) as play_ms, sum(completed) as completed,
          sum(interrupted) as interrupted, sum(failed) as failed`;
    for await (const slice of batchesOf(db, { ...part, signal: filter.signal })) {
      const { rows } = await sql<GroupCounts>`select ${key} as "key", ${sums} from ${slice} as c
        where ${playConditions(filter)} group by 1`.execute(db);
      for (const row of rows) {
        onRow(row);
      }
    }
  }
}

const addCounts = (sum: PlayCounts, row: PlayCounts): PlayCounts => ({
  plays: sum.plays + row.plays,
  play_ms: sum.play_ms + row.play_ms,
  completed: sum.completed + row.completed,
  interrupted: sum.interrupted + row.interrupted,
  failed: sum.failed + row.failed,
});

export async function countPlays(db: Db, filter: PlayFilter): Promise<PlayCounts> {
  let sum = ZERO_COUNTS;
  await forEachCount(db, null, filter, (row) => (sum = addCounts(sum, row)));
  return sum;
}

/**
 * Counts per group: hours and days in chronological order, others by number of plays; the key is '' for plays without
 * one. Unknown keys beyond 10,000 are counted under ''.
 */
export async function countPlaysBy(
  db: Db,
  group: PlayGroup,
  filter: PlayFilter,
  isKnown: (key: string | number) => boolean = () => true,
): Promise<GroupCounts[]> {
  const groups = new Map<string | number, PlayCounts>();
  let unknownGroups = 0;
  await forEachCount(db, group, filter, ({ key: rowKey, ...row }) => {
    const isNew = !groups.has(rowKey) && !isKnown(rowKey);
    const key = isNew && unknownGroups >= MAX_UNKNOWN_GROUPS ? '' : rowKey;
    if (isNew && key === rowKey) {
      unknownGroups += 1;
    }
    groups.set(key, addCounts(groups.get(key) ?? ZERO_COUNTS, row));
  });
  const rows = [...groups].map(([key, counts]) => ({ key, ...counts }));
  return rows.toSorted((a, b) => {
    const byPlays = group === 'hour' || group === 'day' ? 0 : b.plays - a.plays;
    return byPlays || (a.key < b.key ? -1 : 1);
  });
}
