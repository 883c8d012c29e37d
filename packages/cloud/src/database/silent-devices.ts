/**
 * Finds online devices from which nothing is received. On SQLite an index finds those that may be silent. It is of
 * `last_seen_indexed`, a time at or before `last_seen`: an index of `last_seen` itself changed with each heartbeat, which took
 * 4 µs of 31 with 20,000 devices, and 8 of 45 with 100,000.
 *
 * Every statement that writes `last_seen` of an online device writes both columns, except for the heartbeat of a known
 * device (`known-devices.ts`), which writes `last_seen_indexed` only when it is 150 s old. So the index also finds devices
 * that were heard since: whoever looks for silent ones reads a few of them at a time, and moves those that were heard in the
 * index.
 */
import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import { HEARTBEAT_INTERVAL_SECONDS, OFFLINE_AFTER_MS } from '../domain/presence.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';

/**
 * Age of `last_seen_indexed` at which the heartbeat of a known device writes it. Players wait up to 5 % less than a minute between
 * two, so the third one usually arrives before the index finds the device.
 */
const INDEXED_FOR_MS = OFFLINE_AFTER_MS - (HEARTBEAT_INTERVAL_SECONDS * 1000) / 2;

/** Whether the heartbeat of a known device must also write `last_seen_indexed`. */
export const isIndexDue = (indexedMs: number, seenMs: number): boolean =>
  seenMs - indexedMs >= INDEXED_FOR_MS;

/** The clocks of nodes differ by less. */
const MAX_AHEAD_MS = 60_000;

/** The latest `last_seen` that is not in the future, given the time since which silent devices are looked for. */
const latestPossible = (beforeMs: number): number => beforeMs + OFFLINE_AFTER_MS + MAX_AHEAD_MS;

/** Whether the clock was set back after the device was heard, so that `last_seen` cannot tell when it falls silent. */
export const isInFuture = (lastSeenMs: number | null, beforeMs: number): boolean =>
  lastSeenMs !== null && lastSeenMs > latestPossible(beforeMs);

/**
 * The condition that a device counts as online, and that perhaps nothing was received from it since the timestamp, which
 * `last_seen` decides, or that `last_seen` is in the future.
 */
export function mayBeSilentSince(db: Db, beforeMs: number): RawBuilder<SqlBool> {
  const column = hasIndex(db) ? sql.ref('last_seen_indexed') : sql.ref('last_seen');
  // With `online = 1` twice, as in the condition of the index: otherwise SQLite reads the whole index.
  return sql`(online = 1 and ${column} <= ${beforeMs} or online = 1 and ${column} > ${latestPossible(beforeMs)})`;
}

/** Devices whose `last_seen` is in the future count as heard now. */
export async function setSeenNow(db: Db, devices: readonly number[], nowMs: number): Promise<void> {
  if (devices.length > 0) {
    await sql`update device_live set ${setLastSeen(db, sql`${nowMs}`)},
        last_heartbeat = case when last_heartbeat > ${nowMs} then ${nowMs} else last_heartbeat end
      where device in (${sql.join(devices)})`.execute(db);
  }
}

/**
 * Sets `last_seen_indexed` of devices that are not silent to `last_seen`, so that they are not found again soon: after some
 * time without the cloud they may be most of all. Where nothing was ever received, to `lookAgainMs`. With PostgreSQL there
 * are none.
 */
export async function moveInIndex(db: Db, devices: readonly number[], lookAgainMs: number): Promise<void> {
  if (devices.length > 0) {
    await sql`update device_live set last_seen_indexed = coalesce(last_seen, ${lookAgainMs})
      where device in (${sql.join(devices)})`.execute(db);
  }
}

/** For `set`: the device was last seen at this time. */
export const setLastSeen = (db: Db, seenMs: RawBuilder<unknown>): RawBuilder<unknown> =>
  hasIndex(db) ? sql`last_seen = ${seenMs}, last_seen_indexed = ${seenMs}` : sql`last_seen = ${seenMs}`;

/** The columns beside `last_seen` that are written with it. */
export const indexedWith = (db: Db, seenMs: number | null | undefined): { last_seen_indexed?: number } =>
  hasIndex(db) && typeof seenMs === 'number' ? { last_seen_indexed: seenMs } : {};

const hasIndex = (db: Db): boolean => engineOf(db).name === 'sqlite';
