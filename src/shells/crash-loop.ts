/** Whether what draws the picture dies so often that it should be drawn in another way. */
export interface CrashLoop {
  /** Drawing in software, and pictures only. */
  readonly safeMode: boolean;
  /** A window, page or renderer died at this monotonic instant; true when safe mode begins with it. */
  died(atMs: number): boolean;
  /** When safe mode may end if nothing dies until then; null outside of it. */
  readonly calmAtMs: number | null;
  /** Safe mode is over. */
  leave(): void;
}

const DEATHS = 5;
const WITHIN_MS = 10 * 60_000;
const CALM_MS = 60 * 60_000;

/** Five deaths in ten minutes are no accident: safe mode, until an hour has passed without another one. */
export function createCrashLoop(startsInSafeMode: { atMs: number } | null = null): CrashLoop {
  let deaths: number[] = [];
  let calmAtMs = startsInSafeMode && startsInSafeMode.atMs + CALM_MS;
  return {
    get safeMode() {
      return calmAtMs !== null;
    },
    get calmAtMs() {
      return calmAtMs;
    },
    died(atMs) {
      if (calmAtMs !== null) {
        calmAtMs = atMs + CALM_MS;
        return false;
      }
      deaths = [...deaths.filter((death) => atMs - death < WITHIN_MS), atMs];
      if (deaths.length < DEATHS) return false;
      deaths = [];
      calmAtMs = atMs + CALM_MS;
      return true;
    },
    leave() {
      calmAtMs = null;
    },
  };
}
