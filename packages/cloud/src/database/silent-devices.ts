import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import { HEARTBEAT_INTERVAL_SECONDS, OFFLINE_AFTER_MS } from '../domain/presence.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';

/**
 * On SQLite an index finds online devices that may be silent. It is of `last_seen_indexed`, a time at or before `last_seen`: an
 * index of `last_seen` itself changed with each heartbeat, which took 4 µs of 31 with 20,000 devices, and 8 of 45 with 100,000.
 * Every statement that writes `last_seen` of an online device writes both, but for that of the usual heartbeat, which writes
 * `last_seen_indexed` when it is as old as this: with the third heartbeat, if all arrive in time, just before the index finds
 * the device.
 */
const INDEXED_FOR_MS = OFFLINE_AFTER_MS - (HEARTBEAT_INTERVAL_SECONDS * 1000) / 2;

/** Whether a usual heartbeat must also write `last_seen_indexed`. */
export const isIndexDue = (indexedMs: number, seenMs: number): boolean =>
  seenMs - indexedMs >= INDEXED_FOR_MS;

/** The condition that a device counts as online and nothing was received from it since the timestamp. */
export const isSilentSince = (db: Db, beforeMs: number): RawBuilder<SqlBool> =>
  hasIndex(db)
    ? sql`online = 1 and last_seen_indexed <= ${beforeMs} and last_seen <= ${beforeMs}`
    : sql`online = 1 and last_seen <= ${beforeMs}`;

/** For `set`: the device was last seen at this time. */
export const setLastSeen = (db: Db, seenMs: RawBuilder<unknown>): RawBuilder<unknown> =>
  hasIndex(db) ? sql`last_seen = ${seenMs}, last_seen_indexed = ${seenMs}` : sql`last_seen = ${seenMs}`;

/** The columns beside `last_seen` that are written with it. */
export const indexedWith = (db: Db, seenMs: number | null | undefined): { last_seen_indexed?: number } =>
  hasIndex(db) && typeof seenMs === 'number' ? { last_seen_indexed: seenMs } : {};

const hasIndex = (db: Db): boolean => engineOf(db).name === 'sqlite';
