/** Wrong PINs in a row; stored on disk, so that a power cycle does not reset them. */
export interface PinAttempts {
  readonly wrong: number;
  /** Milliseconds since 1970. */
  readonly lastAtMs: number;
}

export const NO_ATTEMPTS: PinAttempts = { wrong: 0, lastAtMs: 0 };

/** Typing errors cause no wait; further wrong PINs wait longer each time. */
const FREE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 15 * 60_000;

const waitMsAfter = (wrong: number): number =>
  wrong < FREE_ATTEMPTS ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(wrong - FREE_ATTEMPTS, 20));

/** Milliseconds until a PIN is accepted again; 0: now. A clock that was set back does not extend the wait. */
export function pinLockRemainingMs(attempts: PinAttempts, wallMs: number): number {
  const waitMs = waitMsAfter(attempts.wrong);
  return Math.min(waitMs, Math.max(0, attempts.lastAtMs + waitMs - wallMs));
}

/** Counted before the PIN is verified, so that cutting the power does not give a free attempt. */
export const countAttempt = (attempts: PinAttempts, wallMs: number): PinAttempts => ({
  wrong: attempts.wrong + 1,
  lastAtMs: wallMs,
});
