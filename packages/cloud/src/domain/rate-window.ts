export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in the held after this one. */
  remaining: number;
  /** Whole seconds until at least one more is allowed than now. */
  resetSeconds: number;
}

/** Counts requests over a sliding held, exactly: what was refused does not count. */
export interface RateWindow {
  take(nowMs: number): Allowance;
  /** True when nothing is counted at the instant, so that the held may be forgotten. */
  idle(nowMs: number): boolean;
}

export function createRateWindow(limit: number, windowMs: number): RateWindow {
  let taken: number[] = [];
  const forget = (nowMs: number) => {
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

/** One held per caller. */
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
