import type { ReportedFault } from '@placard/protocol';
import { DAY_MS } from './durations.ts';

const MAX_PLAY_MS = 7 * DAY_MS;
/** Earlier timestamps come from clocks that were never set. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const MAX_DETAILS_BYTES = 4096;
/** All faults of a device together. */
const MAX_FAULT_DETAILS_BYTES = 16_384;

/** Length of a value as JSON. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** False for timestamps that only a wrong clock produces: before 2000, or more than a day in the future. */
export const isPlausible = (atMs: number, nowMs: number): boolean =>
  atMs >= EARLIEST_MS && atMs <= nowMs + DAY_MS;

/** Of a play, in milliseconds; the first two since 1970. */
interface PlayTimes {
  started_at: number;
  ended_at: number;
  duration_ms: number;
}

/**
 * Why a play is rejected, as `field: reason`; null if it is valid. A single play with a wrong clock would distort all
 * totals.
 */
export function findPlayProblem(
  { started_at: startedMs, ended_at: endedMs, duration_ms: durationMs }: PlayTimes,
  nowMs: number,
): string | null {
  if (!isPlausible(startedMs, nowMs)) {
    return 'started_at: must be from 2000 on and at most a day ahead';
  }
  if (!isPlausible(endedMs, nowMs)) {
    return 'ended_at: must be from 2000 on and at most a day ahead';
  }
  if (endedMs < startedMs) {
    return 'ended_at: must not be before started_at';
  }
  if (durationMs > MAX_PLAY_MS) {
    return 'duration_ms: must be at most 7 days';
  }
  // The wall clock may be corrected during a play, but not by more than a day.
  if (durationMs > endedMs - startedMs + DAY_MS) {
    return 'duration_ms: must fit between started_at and ended_at';
  }
  return null;
}

/**
 * Free-form details from a device, replaced by a note if longer than 4 KiB of JSON: the report is still accepted, but
 * a device cannot fill the disk.
 */
export function truncateDetails(details: Record<string, unknown>): Record<string, unknown> {
  const bytes = jsonBytes(details);
  return bytes > MAX_DETAILS_BYTES
    ? { omitted: `${bytes} bytes; at most ${MAX_DETAILS_BYTES} are kept` }
    : details;
}

/** The faults of a report with truncated facts; facts beyond 16 KiB of JSON in total are dropped. */
export function truncateFaultDetails(faults: readonly ReportedFault[]): ReportedFault[] {
  let bytes = 0;
  return faults.map(({ facts, ...fault }) => {
    if (!facts) {
      return fault;
    }
    const truncated = truncateDetails(facts);
    bytes += jsonBytes(truncated);
    return bytes > MAX_FAULT_DETAILS_BYTES ? fault : { ...fault, facts: truncated };
  });
}
