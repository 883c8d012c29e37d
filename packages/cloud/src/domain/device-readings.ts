import type { HeartbeatSample, ReportedState } from '@placard/protocol';
import type { AlertCondition } from '@placard/protocol/api';

/** What a device has last reported; JSON texts as in the table `device_live`. */
export interface ReportedReadings {
  latest_sample: string | null;
  storage: string | null;
  /** How far the clock of the device is ahead. */
  clock_offset_ms: number | null;
}

/** What a device measures now; null: it does not, or has not lately. */
export interface Readings {
  celsius: number | null;
  /** Of the disk. */
  freePercent: number | null;
  freeBytes: number | null;
}

export type ReadingCondition = Extract<AlertCondition, { type: 'hot' | 'disk_below' }>;

/** A sample that is older says nothing of now. */
const MAX_AGE_MS = 15 * 60_000;
const BYTES_PER_MB = 1_000_000;
/** How far a reading must be from the limit of a rule until it is over: one that lies at the limit goes to and fro. */
const COOLED_CELSIUS = 2;
const FREED_PERCENT = 1;
/** As a part of the limit. */
const FREED_MB = 0.1;

export function readingsOf(
  { latest_sample, storage, clock_offset_ms: aheadMs }: ReportedReadings,
  nowMs: number,
): Readings {
  const newest: HeartbeatSample | null = latest_sample === null ? null : JSON.parse(latest_sample);
  const isRecent = newest !== null && nowMs - Date.parse(newest.measured_at) + (aheadMs ?? 0) <= MAX_AGE_MS;
  const sample = isRecent ? newest : null;
  const state: ReportedState['storage'] | null = storage === null ? null : JSON.parse(storage);
  const usedPercent = sample?.disk_percent ?? null;
  return {
    celsius: sample?.temperature_celsius ?? null,
    freePercent: usedPercent === null ? null : 100 - usedPercent,
    freeBytes: state?.free_bytes ?? null,
  };
}

/** Whether the readings meet the condition; null: that is not known. `hasMet`: they did so when they were last known. */
export function meetsCondition(
  condition: ReadingCondition,
  { celsius, freePercent, freeBytes }: Readings,
  hasMet: boolean,
): boolean | null {
  if (condition.type === 'hot') {
    const limit = condition.celsius;
    return celsius === null ? null : celsius >= limit || (hasMet && celsius > limit - COOLED_CELSIUS);
  }
  const { free, unit } = condition;
  if (unit === 'percent') {
    return freePercent === null ? null : freePercent < free + (hasMet ? FREED_PERCENT : 0);
  }
  return freeBytes === null ? null : freeBytes < free * (hasMet ? 1 + FREED_MB : 1) * BYTES_PER_MB;
}
