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
  /** What `take` would answer; counts nothing. */
  look(nowMs: number): Allowance;
  /** True when nothing is counted at the instant, so that the window may be forgotten. */
  idle(nowMs: number): boolean;
  /** When what is counted at the instant was counted, oldest first. */
  counted(nowMs: number): readonly number[];
}

export function createRateWindow(
  limit: number,
  windowMs: number,
  counted: readonly number[] = [],
): RateWindow {
  let taken = [...counted];
  let lastMs = taken.at(-1) ?? -Infinity;
  const forget = (nowMs: number) => {
    const backMs = lastMs - nowMs;
    if (backMs > 0) taken = taken.map((atMs) => atMs - backMs);
    lastMs = nowMs;
    const first = taken.findIndex((atMs) => atMs > nowMs - windowMs);
    if (first === -1) taken = [];
    else if (first > 0) taken.splice(0, first);
  };
  const answer = (allowed: boolean, nowMs: number): Allowance => ({
    allowed,
    limit,
    remaining: limit - taken.length,
    resetSeconds: Math.max(1, Math.ceil(((taken[0] ?? nowMs) + windowMs - nowMs) / 1000)),
  });
  return {
    take(nowMs) {
      forget(nowMs);
      const allowed = taken.length < limit;
      if (allowed) taken.push(nowMs);
      return answer(allowed, nowMs);
    },
    look(nowMs) {
      forget(nowMs);
      return answer(taken.length < limit, nowMs);
    },
    idle(nowMs) {
      forget(nowMs);
      return taken.length === 0;
    },
    counted(nowMs) {
      forget(nowMs);
      return taken;
    },
  };
}

/** What is counted of each caller, by a name of the limiter's own making; outlives a restart. */
export type Counted = Readonly<Record<string, readonly number[]>>;

/** One window per caller. */
export interface RateLimiter {
  take(caller: string, limit: number, nowMs: number): Allowance;
  /** What `take` would answer; counts nothing. */
  look(caller: string, limit: number, nowMs: number): Allowance;
  /**
   * What is counted at the instant of the callers that `isKept` says yes to, for a limiter to start with. Of more than
   * 5,000 callers only those are told that have used half of what they may.
   */
  counted(nowMs: number, isKept?: (caller: string) => boolean): Counted;
  /** How many callers are held in memory. */
  readonly size: number;
}

/** Beyond this many callers those not seen for longest are forgotten: a flood of addresses fills no memory. */
const MOST_CALLERS = 50_000;
const FORGOTTEN_AT_A_TIME = 3;
/** Up to so many callers, what is counted of them is told whole. */
const MOST_TOLD = 5_000;

export function createRateLimiter(
  windowMs: number,
  mostCallers = MOST_CALLERS,
  counted: Counted = {},
): RateLimiter {
  /** Least recently seen first. */
  const windows = new Map<string, RateWindow>(
    Object.entries(counted).map(([key, taken]) => [
      key,
      createRateWindow(Number.parseInt(key, 10), windowMs, taken),
    ]),
  );
  return {
    get size() {
      return windows.size;
    },
    take(caller, limit, nowMs) {
      const key = `${limit} ${caller}`;
      const held = windows.get(key) ?? createRateWindow(limit, windowMs);
      windows.delete(key);
      windows.set(key, held);
      // Those of whom nothing is counted any more are forgotten with them, a few at a time.
      let looked = 0;
      for (const [oldest, last] of windows) {
        const isOver = windows.size > mostCallers;
        if (!isOver && (looked++ === FORGOTTEN_AT_A_TIME || last === held || !last.idle(nowMs))) break;
        windows.delete(oldest);
      }
      return held.take(nowMs);
    },
    look: (caller, limit, nowMs) =>
      (windows.get(`${limit} ${caller}`) ?? createRateWindow(limit, windowMs)).look(nowMs),
    counted(nowMs, isKept = () => true) {
      const held = [...windows].flatMap(([key, own]): [string, readonly number[]][] => {
        const taken = isKept(key.slice(key.indexOf(' ') + 1)) ? own.counted(nowMs) : [];
        return taken.length > 0 ? [[key, taken]] : [];
      });
      const all = held.length <= MOST_TOLD;
      return Object.fromEntries(
        held.filter(([key, taken]) => all || taken.length >= Number.parseInt(key, 10) / 2),
      );
    },
  };
}
