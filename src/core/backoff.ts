/**
 * Exponential back-off with full jitter, so that thousands of players that lost the cloud together do not reconnect
 * together. `attempt` counts from 0; 0 ≤ `random` < 1. The wait is at least a tenth of the ceiling.
 */
export function backoffMs(
  attempt: number,
  random: number,
  limits: { baseMs: number; capMs: number },
): number {
  const ceiling = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.1 + 0.9 * random));
}

const MIN_RETRY_AFTER_MS = 5_000;
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * The wait for a server's `Retry-After`: 5 s to an hour, and up to a half longer, because thousands of players get the
 * same value. 0 ≤ `random` < 1.
 */
export const jitteredRetryAfterMs = (requestedMs: number, random: number): number =>
  Math.round(Math.min(Math.max(MIN_RETRY_AFTER_MS, requestedMs), MAX_RETRY_AFTER_MS) * (1 + random / 2));

/** By how much an interval is shortened at most. */
const MAX_INTERVAL_JITTER = 0.05;

/**
 * An interval with jitter: up to 5 % shorter, so that players that started together drift apart. Never longer,
 * because the cloud counts missed heartbeats. 0 ≤ `random` < 1.
 */
export const jitteredIntervalMs = (intervalMs: number, random: number): number =>
  Math.round(intervalMs * (1 - MAX_INTERVAL_JITTER * random));
