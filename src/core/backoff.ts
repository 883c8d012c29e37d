/**
 * Exponential back-off with full jitter, so that thousands of players that lost the cloud together do not come
 * back together. `attempt` counts from 0; `chance` is 0 ≤ n < 1. At least a tenth of the ceiling is waited.
 */
export function backoffMs(
  attempt: number,
  chance: number,
  limits: { baseMs: number; capMs: number },
): number {
  const ceiling = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.1 + 0.9 * chance));
}

const LEAST_ASKED_MS = 5_000;
const MOST_ASKED_MS = 3_600_000;

/**
 * A wait that a server asked for, as this player keeps it: 5 s to an hour, and up to a half longer, for thousands are
 * sent away with the same one. `chance` is 0 ≤ n < 1.
 */
export const askedWaitMs = (askedMs: number, chance: number): number =>
  Math.round(Math.min(Math.max(LEAST_ASKED_MS, askedMs), MOST_ASKED_MS) * (1 + chance / 2));

/** The part of an interval that is not waited for at most. */
const DRAWN_APART = 0.05;

/**
 * An interval as this player keeps it: up to a twentieth shorter, so that players that began together draw apart. Never
 * longer, for the cloud counts what it misses. `chance` is 0 ≤ n < 1.
 */
export const intervalKeptMs = (intervalMs: number, chance: number): number =>
  Math.round(intervalMs * (1 - DRAWN_APART * chance));
