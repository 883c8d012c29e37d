export interface RateLimitResult {
  allowed: boolean;
  limit: number;
  /** Requests left in the window after this one. */
  remaining: number;
  /** Whole seconds until at least one more request is allowed. */
  resetSeconds: number;
}

/**
 * Counts requests over an exact sliding window; refused requests do not count. When the clock is set back, the stored
 * timestamps are shifted with it, so that nobody waits longer.
 */
export function createSlidingWindow(limit: number, windowMs: number, initial: readonly number[] = []) {
  let timestampsMs = [...initial];
  let lastMs = timestampsMs.at(-1) ?? -Infinity;
  const dropExpired = (nowMs: number) => {
    const clockStepBackMs = lastMs - nowMs;
    if (clockStepBackMs > 0) {
      timestampsMs = timestampsMs.map((atMs) => atMs - clockStepBackMs);
    }
    lastMs = nowMs;
    const first = timestampsMs.findIndex((atMs) => atMs > nowMs - windowMs);
    if (first === -1) {
      timestampsMs = [];
    } else if (first > 0) {
      timestampsMs.splice(0, first);
    }
  };
  const toResult = (allowed: boolean, nowMs: number): RateLimitResult => ({
    allowed,
    limit,
    remaining: limit - timestampsMs.length,
    resetSeconds: Math.max(1, Math.ceil(((timestampsMs[0] ?? nowMs) + windowMs - nowMs) / 1000)),
  });
  return {
    take(nowMs: number): RateLimitResult {
      dropExpired(nowMs);
      const allowed = timestampsMs.length < limit;
      if (allowed) {
        timestampsMs.push(nowMs);
      }
      return toResult(allowed, nowMs);
    },
    /** The result that `take` would return, without counting. */
    peek(nowMs: number): RateLimitResult {
      dropExpired(nowMs);
      return toResult(timestampsMs.length < limit, nowMs);
    },
    /** True if nothing is counted at that time, so that the window may be dropped. */
    isEmpty(nowMs: number): boolean {
      dropExpired(nowMs);
      return timestampsMs.length === 0;
    },
    /** Timestamps of the requests counted at that time, oldest first. */
    timestamps(nowMs: number): readonly number[] {
      dropExpired(nowMs);
      return timestampsMs;
    },
  };
}

/** Counted timestamps by the limiter's internal key; persisted across restarts. */
export type RateLimitCounts = Readonly<Record<string, readonly number[]>>;

/** One window per caller. */
export interface RateLimiter {
  take(caller: string, limit: number, nowMs: number): RateLimitResult;
  /** The result that `take` would return, without counting. */
  peek(caller: string, limit: number, nowMs: number): RateLimitResult;
  /**
   * Counts of the callers accepted by `isPersistent`, as `initialCounts` of another limiter. With more than 5,000
   * callers, only those that have used half of their limit are exported.
   */
  exportCounts(nowMs: number, isPersistent?: (caller: string) => boolean): RateLimitCounts;
  /** Number of callers held in memory. */
  readonly size: number;
}

/** Beyond this the least recently seen callers are dropped, so that a flood of addresses cannot fill the memory. */
const MAX_CALLERS = 50_000;
const MAX_EVICTIONS_PER_CALL = 3;
/** Up to this many callers are exported without filtering. */
const MAX_CALLERS_EXPORTED_IN_FULL = 5_000;

export function createRateLimiter(
  windowMs: number,
  maxCallers = MAX_CALLERS,
  initialCounts: RateLimitCounts = {},
): RateLimiter {
  /** Least recently seen first. */
  const windows = new Map(
    Object.entries(initialCounts).map(([key, taken]) => [
      key,
      createSlidingWindow(Number.parseInt(key, 10), windowMs, taken),
    ]),
  );
  return {
    get size() {
      return windows.size;
    },
    take(caller, limit, nowMs) {
      const key = `${limit} ${caller}`;
      const slidingWindow = windows.get(key) ?? createSlidingWindow(limit, windowMs);
      windows.delete(key);
      windows.set(key, slidingWindow);
      // Those of whom nothing is counted any more are forgotten with them, a few at a time.
      let examined = 0;
      for (const [oldest, oldestWindow] of windows) {
        const isOver = windows.size > maxCallers;
        if (
          !isOver &&
          (examined++ === MAX_EVICTIONS_PER_CALL ||
            oldestWindow === slidingWindow ||
            !oldestWindow.isEmpty(nowMs))
        ) {
          break;
        }
        windows.delete(oldest);
      }
      return slidingWindow.take(nowMs);
    },
    peek: (caller, limit, nowMs) =>
      (windows.get(`${limit} ${caller}`) ?? createSlidingWindow(limit, windowMs)).peek(nowMs),
    exportCounts(nowMs, isPersistent = () => true) {
      const held = [...windows].flatMap(([key, callerWindow]): [string, readonly number[]][] => {
        const taken = isPersistent(key.slice(key.indexOf(' ') + 1)) ? callerWindow.timestamps(nowMs) : [];
        return taken.length > 0 ? [[key, taken]] : [];
      });
      const all = held.length <= MAX_CALLERS_EXPORTED_IN_FULL;
      return Object.fromEntries(
        held.filter(([key, taken]) => all || taken.length >= Number.parseInt(key, 10) / 2),
      );
    },
  };
}
