/** How long to wait before starting something again that keeps ending. */
export interface RestartPace {
  /** It ended after having lived for `aliveMs`, and had come up or not: wait this many milliseconds. */
  next(end: { aliveMs: number; cameUp: boolean }): number;
}

const STEPS_MS = [0, 500, 1_000, 2_000, 5_000, 15_000];
/** What lived this long was well; counting starts anew. */
const WELL_AFTER_MS = 10_000;

const step = (count: number): number => STEPS_MS[Math.min(count, STEPS_MS.length - 1)]!;

/** At once, then slower and slower: a crash loop must not eat the machine, a single crash must not be seen. */
export function createRestartPace(deps: {
  /** What had come up belongs on the screen: the longest that it may be waited for, in milliseconds. */
  longestAfterWorkMs: number;
}): RestartPace {
  let deaths = 0;
  /** In a row, without anything that came up between them. */
  let failedStarts = 0;
  return {
    next({ aliveMs, cameUp }) {
      if (!cameUp) return step(failedStarts++);
      failedStarts = 0;
      if (aliveMs >= WELL_AFTER_MS) deaths = 0;
      return Math.min(step(deaths++), deps.longestAfterWorkMs);
    },
  };
}
