import { HOUR_MS } from './durations.ts';

const MINUTE_MS = 60_000;

/** Delay after each failed attempt: ten attempts over three days. */
const RETRY_DELAYS_MS = [
  5000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  30 * HOUR_MS,
] as const;

/** Milliseconds until the next attempt; null after the last one. */
export const retryDelayMs = (failedAttempts: number): number | null =>
  RETRY_DELAYS_MS[failedAttempts - 1] ?? null;
