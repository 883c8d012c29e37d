const DELAYS_MS = [0, 500, 1_000, 2_000, 5_000, 15_000];
/** After this time a process counts as stable, and the count starts from zero. */
const STABLE_AFTER_MS = 10_000;

const delayForAttempt = (attempt: number): number => DELAYS_MS[Math.min(attempt, DELAYS_MS.length - 1)]!;

/**
 * How long to wait before a process that keeps ending is restarted.
 * At once, then more and more slowly: a crash loop must not overload the machine, nor a single crash be visible.
 */
export function createRestartBackoff(deps: {
  /** Limit of the delay in milliseconds for a process that was ready, because it is needed on the screen. */
  maxDelayAfterReadyMs: number;
}) {
  let crashes = 0;
  /** In a row, since the last start that became ready. */
  let failedStarts = 0;
  return {
    /** It ended after `uptimeMs`, ready or not: wait this many milliseconds. */
    nextDelayMs({ uptimeMs, wasReady }: { uptimeMs: number; wasReady: boolean }): number {
      if (!wasReady) {
        return delayForAttempt(failedStarts++);
      }
      failedStarts = 0;
      if (uptimeMs >= STABLE_AFTER_MS) {
        crashes = 0;
      }
      return Math.min(delayForAttempt(crashes++), deps.maxDelayAfterReadyMs);
    },
  };
}
