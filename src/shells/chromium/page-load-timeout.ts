/** Enough for a cold start of a slow device. */
const INITIAL_TIMEOUT_MS = 30_000;
const MIN_TIMEOUT_MS = 3_000;
/** All attempts together, within systemd's start timeout. */
const MAX_TIMEOUT_MS = 240_000;

/**
 * How long to wait for the page of a new browser.
 * A browser that was killed may come up again and never finish its page. A page that loaded before loads again
 * about as fast, so the next timeout is short once; the attempt after it has the full time again. Each further one
 * has twice as much, because a slow machine would otherwise stay black for ever.
 */
export function createPageLoadTimeout() {
  let timeoutMs = INITIAL_TIMEOUT_MS;
  return {
    /** For the next opening, in milliseconds. */
    nextMs(): number {
      const currentMs = timeoutMs;
      timeoutMs = Math.min(MAX_TIMEOUT_MS, Math.max(INITIAL_TIMEOUT_MS, 2 * currentMs));
      return currentMs;
    },
    /** The last opening succeeded after this time. */
    recordLoadTime(loadTimeMs: number) {
      timeoutMs = Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, 5 * loadTimeMs));
    },
  };
}
