import type { HeartbeatSample } from '@placard/protocol';
import { HEARTBEAT_INTERVAL_SECONDS, OFFLINE_AFTER_MS } from './presence.ts';

/** A sample with its time, in ms since 1970: parsing it takes 0.2 µs. */
export interface DatedSample {
  readonly sample: HeartbeatSample;
  readonly atMs: number;
}

export const toDatedSample = (sample: HeartbeatSample): DatedSample => ({
  sample,
  atMs: Date.parse(sample.measured_at),
});

/**
 * The received sample that replaces the stored one, which was measured at `previousMs`; null if none does. A stored sample
 * from the future (the device had a wrong clock) is replaced by the next sample.
 */
export function latestSample(
  previousMs: number | null,
  received: readonly DatedSample[],
  nowMs: number,
): DatedSample | null {
  const newest = newestOf(received);
  if (!newest || previousMs === null) {
    return newest;
  }
  return previousMs > newest.atMs && previousMs <= nowMs + OFFLINE_AFTER_MS ? null : newest;
}

/** Null for none. */
export const newestOf = (samples: readonly DatedSample[]): DatedSample | null => {
  let newest: DatedSample | null = null;
  for (const each of samples) {
    newest = newest && newest.atMs > each.atMs ? newest : each;
  }
  return newest;
};

/** Allowed difference between the offsets of two consecutive heartbeats of a device with a wrong clock. */
const OFFSET_TOLERANCE_MS = (HEARTBEAT_INTERVAL_SECONDS * 1000) / 2;

export interface ClockOffsetInput {
  /** The newest timestamp in the heartbeat, ms since 1970. */
  newestSampleMs: number;
  /** False if the timestamp can only come from a wrong clock. */
  isPlausible: boolean;
  /** Timestamp of the latest sample before this heartbeat, and arrival time of the previous heartbeat. */
  previousSampleMs: number | null;
  lastHeartbeatMs: number | null;
  nowMs: number;
}

/**
 * Offset of the device's clock in ms; null if it cannot be derived. Old samples may have been buffered while offline,
 * so a clock counts as behind only if the previous heartbeat was behind by the same amount.
 */
export function clockOffset({
  newestSampleMs,
  isPlausible,
  previousSampleMs,
  lastHeartbeatMs,
  nowMs,
}: ClockOffsetInput): number | null {
  const offsetMs = Math.round(newestSampleMs - nowMs);
  if (!isPlausible || offsetMs > -OFFLINE_AFTER_MS) {
    return offsetMs;
  }
  if (previousSampleMs === null || lastHeartbeatMs === null) {
    return null;
  }
  return Math.abs(offsetMs - (previousSampleMs - lastHeartbeatMs)) <= OFFSET_TOLERANCE_MS ? offsetMs : null;
}
