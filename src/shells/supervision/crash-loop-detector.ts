const CRASHES_BEFORE_SAFE_MODE = 5;
const CRASH_WINDOW_MS = 10 * 60_000;
const SAFE_MODE_MS = 60 * 60_000;

/**
 * Detects when the window crashes so often that safe mode is needed: five crashes within ten minutes begin it, which
 * lasts until an hour has passed without another one.
 */
export function createCrashLoopDetector(initialSafeMode: { atMs: number } | null = null) {
  let crashTimesMs: number[] = [];
  let safeModeEndsAtMs = initialSafeMode && initialSafeMode.atMs + SAFE_MODE_MS;
  return {
    /** Software rendering, and images only. */
    get safeMode() {
      return safeModeEndsAtMs !== null;
    },
    /** When safe mode may end if nothing crashes until then; null outside of it. */
    get safeModeEndsAtMs() {
      return safeModeEndsAtMs;
    },
    /** A window, page or renderer crashed at this monotonic time; returns true when safe mode begins with it. */
    recordCrash(atMs: number): boolean {
      if (safeModeEndsAtMs !== null) {
        safeModeEndsAtMs = atMs + SAFE_MODE_MS;
        return false;
      }
      crashTimesMs = [...crashTimesMs.filter((crashedAtMs) => atMs - crashedAtMs < CRASH_WINDOW_MS), atMs];
      if (crashTimesMs.length < CRASHES_BEFORE_SAFE_MODE) {
        return false;
      }
      crashTimesMs = [];
      safeModeEndsAtMs = atMs + SAFE_MODE_MS;
      return true;
    },
    /** Safe mode is over. */
    exitSafeMode() {
      safeModeEndsAtMs = null;
    },
  };
}
