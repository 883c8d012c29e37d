/** How long the page of a new browser is waited for. */
export interface OpeningPatience {
  /** For the next opening, in milliseconds. */
  next(): number;
  /** The last one has succeeded after so long. */
  opened(tookMs: number): void;
}

/** A cold start of a small box. */
const FIRST_MS = 30_000;
const LEAST_MS = 3_000;
/** All tries together, within what systemd waits for the first picture. */
const MOST_MS = 240_000;

/**
 * A browser that was killed has been seen to come up again and never finish its page. What has opened before opens
 * again about as fast, so the wait for it is short once; the next try has all the time again. Each further one has
 * twice as much: a machine that is too slow for the last would be black for ever.
 */
export function createOpeningPatience(): OpeningPatience {
  let patienceMs = FIRST_MS;
  return {
    next() {
      const thisMs = patienceMs;
      patienceMs = Math.min(MOST_MS, Math.max(FIRST_MS, 2 * thisMs));
      return thisMs;
    },
    opened(tookMs) {
      patienceMs = Math.min(MOST_MS, Math.max(LEAST_MS, 5 * tookMs));
    },
  };
}
