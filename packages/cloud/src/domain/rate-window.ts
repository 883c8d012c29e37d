export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in the window after this one. */
  remaining: number;
  /** Whole seconds until at least one more is allowed than now. */
  resetSeconds: number;
}

/**
 * Counts requests over a sliding window, exactly: what was refused does not count. A clock that is set back
 * only stands still for it, so that nobody waits for the hour to come round again.
 */
export interface RateWindow {
  take(nowMs: number): Allowance;
  /** True when nothing is counted at the instant, so that the window may be forgotten. */
  idle(nowMs: number): boolean;
}

export function createRateWindow(limit: number, windowMs: number): RateWindow {
  let taken: number[] = [];
  let lastMs = -Infinity;
  const forget = (nowMs: number) => {
    const backMs = lastMs - nowMs;
    if (backMs > 0) taken = taken.map((atMs) => atMs - backMs);
    lastMs = nowMs;
    const first = taken.findIndex((atMs) => atMs > nowMs - windowMs);
    if (first === -1) taken = [];
    else if (first > 0) taken.splice(0, first);
  };
  return {
    take(nowMs) {
      forget(nowMs);
      const allowed = taken.length < limit;
      if (allowed) taken.push(nowMs);
      const oldest = taken[0] ?? nowMs;
      return {
        allowed,
        limit,
        remaining: limit - taken.length,
        resetSeconds: Math.max(1, Math.ceil((oldest + windowMs - nowMs) / 1000)),
      };
    },
    idle(nowMs) {
      forget(nowMs);
      return taken.length === 0;
    },
  };
}

/** One window per caller. */
export interface RateLimiter {
  take(caller: string, limit: number, nowMs: number): Allowance;
}

// Beyond this many callers the idle ones are forgotten, so that a flood of addresses does not fill the memory.
const MOST_CALLERS = 10_000;

export function createRateLimiter(windowMs: number): RateLimiter {
  const windows = new Map<string, RateWindow>();
  return {
    take(caller, limit, nowMs) {
      const key = `${limit} ${caller}`;
      let held = windows.get(key);
      if (!held) {
        if (windows.size >= MOST_CALLERS)
          for (const [name, held] of windows) if (held.idle(nowMs)) windows.delete(name);
        held = createRateWindow(limit, windowMs);
        windows.set(key, held);
      }
      return held.take(nowMs);
    },
  };
}
