const TICK_MS = 10;
const HISTORY_MS = 60_000;

/** Event loop delay of this process, which must not be counted against the cloud. */
export interface EventLoopDelay {
  /** The longest delay since a time of `performance.now()`, milliseconds. */
  longestSince(startMs: number): number;
  /** The longest delay overall. */
  readonly longest: number;
  stop(): void;
}

export function watchEventLoopDelay(): EventLoopDelay {
  let delays: { atMs: number; ms: number }[] = [];
  let longest = 0;
  let dueMs = performance.now() + TICK_MS;
  const measure = () => {
    const atMs = performance.now();
    const ms = atMs - dueMs;
    if (ms > 1) {
      delays = delays.filter((one) => one.atMs > atMs - HISTORY_MS);
      delays.push({ atMs, ms });
      longest = Math.max(longest, ms);
    }
    dueMs = performance.now() + TICK_MS;
  };
  const timer = setInterval(measure, TICK_MS);
  return {
    longestSince(startMs) {
      // Includes the current delay of the timer.
      const now = Math.max(0, performance.now() - dueMs);
      return delays.reduce((found, { atMs, ms }) => (atMs > startMs ? Math.max(found, ms) : found), now);
    },
    get longest() {
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}
