import type { HeartbeatSample } from '@placard/protocol';
import { HEARTBEAT_SECONDS, SILENCE_MS } from './presence.ts';

const atOf = (sample: HeartbeatSample): number => Date.parse(sample.measured_at);

/**
 * The reading that was measured last, of the one that is held and those that came; null when there is none. One that
 * lies ahead of our clock is held no longer than until the next: its device had a wrong clock.
 */
export function latestReading(
  held: HeartbeatSample | null,
  came: readonly HeartbeatSample[],
  nowMs: number,
): HeartbeatSample | null {
  const newest = came.toSorted((a, b) => atOf(a) - atOf(b)).at(-1);
  if (!newest) return held;
  return held && atOf(held) > atOf(newest) && atOf(held) <= nowMs + SILENCE_MS ? held : newest;
}

/** Two heartbeats of a clock that is wrong are as far from ours as each other, give or take this. */
const STEADY_MS = (HEARTBEAT_SECONDS * 1000) / 2;

export interface OffsetFacts {
  /** The newest instant that the heartbeat names, ms since 1970. */
  newestMs: number;
  /** False for an instant at which nothing can have been measured and kept: its clock is wrong for sure. */
  plausible: boolean;
  /** The reading measured last before this heartbeat, and when the heartbeat before this one came. */
  heldMs: number | null;
  lastHeartbeatMs: number | null;
  nowMs: number;
}

/**
 * How far the clock of a device is from ours, in ms; null when the heartbeat does not tell. Readings that are old may
 * have waited for the network: they say that the clock is behind only when the heartbeat before said so as well.
 */
export function clockOffset({
  newestMs,
  plausible,
  heldMs,
  lastHeartbeatMs,
  nowMs,
}: OffsetFacts): number | null {
  const offsetMs = Math.round(newestMs - nowMs);
  if (!plausible || offsetMs > -SILENCE_MS) return offsetMs;
  if (heldMs === null || lastHeartbeatMs === null) return null;
  return Math.abs(offsetMs - (heldMs - lastHeartbeatMs)) <= STEADY_MS ? offsetMs : null;
}
