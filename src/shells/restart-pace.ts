/** How long to wait before starting something again that keeps ending. */
export interface RestartPace {
  /** It ended after having lived for `aliveMs`, and had come up or not: wait this many milliseconds. */
  next(end: { aliveMs: number; cameUp: boolean }): number;
}

const STEPS_MS = [0, 500, 1_000, 2_000, 5_000, 15_000];
/** What had come up belongs on the screen: the longest that a playlist may stand still for it. */
const LONGEST_AFTER_WORK_MS = 1_000;
/** What lived this long was well; counting starts anew. */
const WELL_AFTER_MS = 10_000;

/** At once, then slower and slower: a crash loop must not eat the machine, a single crash must not be seen. */
export function createRestartPace(): RestartPace {
  let failures = 0;
  return {
    next({ aliveMs, cameUp }) {
      if (aliveMs >= WELL_AFTER_MS) failures = 0;
      const waitMs = STEPS_MS[Math.min(failures, STEPS_MS.length - 1)]!;
      failures += 1;
      return cameUp ? Math.min(waitMs, LONGEST_AFTER_WORK_MS) : waitMs;
    },
  };
}
