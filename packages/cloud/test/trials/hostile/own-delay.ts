const TICK_MS = 10;
const KEPT_MS = 60_000;

/** How late this very process was: what it takes for itself, or waits for a processor, is no fault of the cloud. */
export interface OwnDelay {
  /** The longest delay since the instant of `performance.now()`, milliseconds. */
  since(startMs: number): number;
  /** The longest of all. */
  readonly most: number;
  stop(): void;
}

export function watchOwnDelay(): OwnDelay {
  let late: { atMs: number; ms: number }[] = [];
  let most = 0;
  let dueMs = performance.now() + TICK_MS;
  const look = () => {
    const atMs = performance.now();
    const ms = atMs - dueMs;
    if (ms > 1) {
      late = late.filter((one) => one.atMs > atMs - KEPT_MS);
      late.push({ atMs, ms });
      most = Math.max(most, ms);
    }
    dueMs = performance.now() + TICK_MS;
  };
  const timer = setInterval(look, TICK_MS);
  return {
    since(startMs) {
      // What holds the timer up at this moment counts as well.
      const now = Math.max(0, performance.now() - dueMs);
      return late.reduce((found, { atMs, ms }) => (atMs > startMs ? Math.max(found, ms) : found), now);
    },
    get most() {
      return most;
    },
    stop: () => clearInterval(timer),
  };
}
