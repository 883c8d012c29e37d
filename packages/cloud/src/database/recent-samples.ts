/**
 * The latest samples of a device, beside its live state in `device_live`, on SQLite. A heartbeat writes that row anyway;
 * its sample in a row of `samples` is another page to write, twice (to the log, and to the database), which took a third
 * of the time of recording. So a dozen samples are moved to `samples` together (ADR 0058).
 *
 * `recent_samples` is `[[at,cpu,memory,disk,temperature,wifi],…]` with the values as `samples` stores them, in the order
 * of time, or null for none. They are all later than those of the device in `samples`, so that no sample is in both. To
 * read samples, use the view `all_samples`, which has both.
 */
import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { Row } from './schema.ts';

type SampleRow = Row<'samples'>;

/** Some twelve samples: with twice as many, the rows of fewer devices fit into a page. */
const MAX_CHARACTERS = 480;

/**
 * These samples as they stand in `recent_samples`, without its brackets. Null if they must be stored in `samples` instead: one is
 * not later than `latest` or the one before, or a value is no integer, of which JSON might not keep the last digit.
 */
export function samplesText(latest: number, rows: readonly SampleRow[]): string | null {
  const added: string[] = [];
  for (const { at, cpu, memory, disk, temperature, wifi } of rows) {
    const values = [at, cpu, memory, disk, temperature, wifi];
    if (!(at > latest) || !values.every((value) => value === null || Number.isSafeInteger(value))) {
      return null;
    }
    latest = at;
    added.push(JSON.stringify(values));
  }
  return added.join();
}

/** Whether `recent_samples` of this length would be too long with a comma and so many more characters. */
export const isTooLong = (length: number, added: number): boolean => length + added + 1 > MAX_CHARACTERS;

/** Puts the parameter, a text of `samplesText`, after `recent_samples`. */
export const APPEND_TEXT =
  "coalesce(substr(recent_samples, 1, length(recent_samples) - 1) || ',', '[') || ? || ']'";

/** The length that counts for null: the first sample adds two brackets, a later one only a comma. */
export const EMPTY_LENGTH = 1;

/**
 * `recent` with these samples of its device after it. Null if they must be stored in `samples` instead, after those that
 * it has: as in `samplesText`, or if `recent` is damaged or would be too long. `latestStored` is the time of the latest sample in
 * `samples`; null if there is none.
 */
export function appendSamples(
  recent: string | null,
  rows: readonly SampleRow[],
  latestStored: () => number | null,
): string | null {
  const added = samplesText((recent === null ? latestStored() : latestOf(recent)) ?? -Infinity, rows);
  if (added === null || isTooLong(recent?.length ?? EMPTY_LENGTH, added.length)) {
    return null;
  }
  return recent === null ? `[${added}]` : `${recent.slice(0, -1)},${added}]`;
}

/** The time of the last sample; NaN if the text is damaged. Parsing all of them would take 1.5 µs. */
export const latestOf = (recent: string): number =>
  recent.startsWith('[[') && recent.endsWith(']]')
    ? Number.parseInt(recent.slice(recent.lastIndexOf('[') + 1), 10)
    : Number.NaN;

const STORE_RECENT = `insert into samples (device, at, cpu, memory, disk, temperature, wifi)
  select device, at, cpu, memory, disk, temperature, wifi from recent_sample_rows`;

/** Stores the recent samples of a device in `samples`; they must be taken out of its row in the same transaction. */
export const STORE_RECENT_OF_DEVICE = `${STORE_RECENT} where device = ? on conflict do nothing`;

/** The time of the first recent sample; 0 for what is damaged. */
export const FIRST_RECENT = sql<number>`coalesce(
  case when json_valid(recent_samples) then recent_samples ->> '$[0][0]' end, 0)`;

/** Moves the recent samples of the devices to `samples`; `where` is a condition on `device_live`. Run in a transaction. */
export async function storeRecentSamples(db: Db, where: RawBuilder<SqlBool>): Promise<void> {
  if (engineOf(db).name === 'postgres') {
    return;
  }
  await sql`${sql.raw(STORE_RECENT)}
    where device in (select device from device_live where ${where}) on conflict do nothing`.execute(db);
  await sql`update device_live set recent_samples = null where recent_samples is not null and ${where}`.execute(
    db,
  );
}
