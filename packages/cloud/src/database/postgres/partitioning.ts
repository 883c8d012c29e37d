import { idTimeMs, makeId } from '@placard/protocol';
import { DAY_MS } from '../../domain/durations.ts';
import type { PartitionedTable } from '../schema.ts';

/** A part of the time whose rows are in one partition, in ms since 1970. */
export interface Period {
  startMs: number;
  endMs: number;
}

/** How a table is divided by time (ADR 0030). */
export interface Partitioning {
  table: PartitionedTable;
  /** Decides the partition of a row. It is in the primary key, and the same when the row is sent again. */
  key: string;
  /** The least value of the key in rows of that time, and the time of such a value. */
  keyAt: (ms: number) => string | number;
  timeOf: (key: string) => number;
  /** Decides how long a row is kept. */
  time: string;
  length: 'day' | 'month';
  /** Partitions that are made before their time. */
  ahead: number;
}

const NO_RANDOM = new Uint8Array(16);

const byBucket = (table: PartitionedTable): Partitioning => ({
  table,
  key: 'bucket',
  keyAt: (ms) => ms,
  timeOf: Number,
  time: 'bucket',
  length: 'month',
  ahead: 1,
});

export const PARTITIONINGS: Readonly<Record<PartitionedTable, Partitioning>> = {
  samples: {
    table: 'samples',
    key: 'at',
    keyAt: (ms) => ms,
    timeOf: Number,
    time: 'at',
    length: 'day',
    ahead: 3,
  },
  // By id: it begins with the time, and is all that identifies a play of a device.
  plays: {
    table: 'plays',
    key: 'id',
    keyAt: (ms) => makeId('play', ms, NO_RANDOM),
    timeOf: (key) => idTimeMs('play', key) ?? Number.NaN,
    time: 'started_at',
    length: 'month',
    ahead: 1,
  },
  play_hours: byBucket('play_hours'),
  play_days: byBucket('play_days'),
};

/** The period in which the time is. */
export function periodOf({ length }: Pick<Partitioning, 'length'>, ms: number): Period {
  const startMs = Math.floor(ms / DAY_MS) * DAY_MS;
  if (length === 'day') {
    return { startMs, endMs: startMs + DAY_MS };
  }
  const [year, month] = [new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth()];
  return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
}

/** From the period in which the first time is to the one in which the last is. */
export function periodsBetween(partitioning: Partitioning, firstMs: number, lastMs: number): Period[] {
  const periods: Period[] = [];
  for (let ms = firstMs; ms <= lastMs; ms = periods.at(-1)?.endMs ?? Infinity) {
    periods.push(periodOf(partitioning, ms));
  }
  return periods;
}

/** For example `samples_20261123` or `plays_202611`. */
export function partitionName({ table, length }: Partitioning, { startMs }: Period): string {
  const date = new Date(startMs).toISOString().replaceAll('-', '');
  return `${table}_${date.slice(0, length === 'day' ? 8 : 6)}`;
}
