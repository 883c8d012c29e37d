import { PlacardError } from './placard-error.ts';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** A cloud that asks for a longer wait is reported to the caller instead. */
const LONGEST_WAIT_MS = 120_000;

const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
/** The request was refused or not finished; a second attempt may succeed. */
const TEMPORARY = new Set([0, 408, 425, 429, 500, 502, 503, 504]);

/** How long to wait before the next attempt, in ms; null when there is none. */
export function retryDelay(
  error: unknown,
  request: { method: string; hasIdempotencyKey: boolean },
  attempt: { number: number; retries: number },
  random: number,
): number | null {
  if (!(error instanceof PlacardError) || attempt.number >= attempt.retries || !TEMPORARY.has(error.status)) {
    return null;
  }
  // Over the rate limit nothing was done, so any method may be sent again.
  const isSafe = REPEATABLE.has(request.method) || request.hasIdempotencyKey || error.status === 429;
  if (!isSafe || error.code === 'INVALID_RESPONSE') {
    return null;
  }
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= LONGEST_WAIT_MS ? error.retryAfterMs : null;
  }
  return backOff(attempt.number, random);
}

/** Doubles with each attempt; a random half keeps clients apart that failed together. */
export const backOff = (attempt: number, random: number, longestMs = LONGEST_DELAY_MS): number =>
  Math.min(longestMs, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);

/** `Retry-After`: seconds, or a date. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null || value.trim() === '') {
    return undefined;
  }
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
