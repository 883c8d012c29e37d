import type { Play, ReportedFault } from '@placard/protocol';

const DAY_MS = 86_400_000;
const LONGEST_PLAY_MS = 7 * DAY_MS;
/** No screen ran before; earlier instants come from clocks that were never set. */
const FIRST_MS = Date.UTC(2000, 0, 1);
const MOST_FACT_BYTES = 4096;
/** Of all faults of a device together. */
const MOST_FAULTS_BYTES = 16_384;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** False for what only a wrong clock says: before 2000, or more than a day ahead of ours. */
export const isPlausible = (atMs: number, nowMs: number): boolean =>
  atMs >= FIRST_MS && atMs <= nowMs + DAY_MS;

/** Why a play cannot be counted, as `field: reason`; null when it can. One bad clock would spoil every sum. */
export function faultOfPlay(play: Play, nowMs: number): string | null {
  const [startedMs, endedMs] = [Date.parse(play.started_at), Date.parse(play.ended_at)];
  if (!isPlausible(startedMs, nowMs)) return 'started_at: must be from 2000 on and at most a day ahead';
  if (!isPlausible(endedMs, nowMs)) return 'ended_at: must be from 2000 on and at most a day ahead';
  if (endedMs < startedMs) return 'ended_at: must not be before started_at';
  if (play.duration_ms > LONGEST_PLAY_MS) return 'duration_ms: must be at most 7 days';
  // The clock of the wall may be put right in the meantime, but not by that much.
  if (play.duration_ms > endedMs - startedMs + DAY_MS)
    return 'duration_ms: must fit between started_at and ended_at';
  return null;
}

/**
 * Facts in a device's own words, or a note instead of them when they are longer than 4 KiB of JSON: the report
 * itself still counts, but no device fills the disk.
 */
export function shortFacts(facts: Record<string, unknown>): Record<string, unknown> {
  const bytes = bytesOf(facts);
  return bytes > MOST_FACT_BYTES ? { omitted: `${bytes} bytes; at most ${MOST_FACT_BYTES} are kept` } : facts;
}

/** The faults of a report, with short facts; from 16 KiB of JSON on without facts. */
export function shortFaults(faults: readonly ReportedFault[]): ReportedFault[] {
  let bytes = 0;
  return faults.map(({ facts, ...fault }) => {
    if (!facts) return fault;
    const short = shortFacts(facts);
    bytes += bytesOf(short);
    return bytes > MOST_FAULTS_BYTES ? fault : { ...fault, facts: short };
  });
}
