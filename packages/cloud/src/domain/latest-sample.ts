import type { HeartbeatSample } from '@placard/protocol';
import { HEARTBEAT_INTERVAL_SECONDS, OFFLINE_AFTER_MS } from './presence.ts';

const measuredAtMs = (sample: HeartbeatSample): number => Date.parse(sample.measured_at);

/**
 * The most recently measured of the stored and the received samples; null if there is none. A stored sample from the
 * future (the device had a wrong clock) is replaced by the next sample.
 */
export function latestSample(
  previous: HeartbeatSample | null,
  received: readonly HeartbeatSample[],
  nowMs: number,
): HeartbeatSample | null {
  const newest = received.toSorted((a, b) => measuredAtMs(a) - measuredAtMs(b)).at(-1);
  if (!newest) {
    return previous;
  }
  return previous &&
    measuredAtMs(previous) > measuredAtMs(newest) &&
    measuredAtMs(previous) <= nowMs + OFFLINE_AFTER_MS
    ? previous
    : newest;
}

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
