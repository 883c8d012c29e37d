const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after each failed try: ten tries over three days. */
const WAITS_MS = [
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

/** Milliseconds until the next try after so many failed ones; null when that was the last. */
export const waitAfter = (failedTries: number): number | null => WAITS_MS[failedTries - 1] ?? null;
