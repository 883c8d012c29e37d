/** How long the page of a new browser is waited for. */
export interface OpeningPatience {
  /** For the next opening, in milliseconds. */
  next(): number;
  /** The last one has succeeded after so long. */
  opened(tookMs: number): void;
}

/** A cold start of a small box takes this long at the very most. */
const MOST_MS = 30_000;
const LEAST_MS = 3_000;

/**
 * A browser that was killed has been seen to come up again and never finish its page. What has opened before opens
 * again about as fast, so the wait for it is short once; the next try has all the time again.
 */
export function createOpeningPatience(): OpeningPatience {
  let patienceMs = MOST_MS;
  return {
    next() {
      const thisMs = patienceMs;
      patienceMs = MOST_MS;
      return thisMs;
    },
    opened(tookMs) {
      patienceMs = Math.min(MOST_MS, Math.max(LEAST_MS, 5 * tookMs));
    },
  };
}
