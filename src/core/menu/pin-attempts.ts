/** How often a wrong PIN was typed in a row; kept on disk, so that pulling the plug does not forgive it. */
export interface PinAttempts {
  readonly wrong: number;
  /** Milliseconds since 1970. */
  readonly lastAtMs: number;
}

export const NO_ATTEMPTS: PinAttempts = { wrong: 0, lastAtMs: 0 };

/** A slip of the finger costs nothing; who guesses waits longer each time. */
const FREE = 3;
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 15 * 60_000;

const waitAfter = (wrong: number): number =>
  wrong < FREE ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(wrong - FREE, 20));

/** Milliseconds until a PIN is listened to again; 0: now. A clock that was set back prolongs nothing. */
export function pinLockedMs(attempts: PinAttempts, wallMs: number): number {
  const waitMs = waitAfter(attempts.wrong);
  return Math.min(waitMs, Math.max(0, attempts.lastAtMs + waitMs - wallMs));
}

/** Counted before the PIN is looked at: a try that the power cuts off is a try. */
export const countAttempt = (attempts: PinAttempts, wallMs: number): PinAttempts => ({
  wrong: attempts.wrong + 1,
  lastAtMs: wallMs,
});
