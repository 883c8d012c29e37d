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
export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  #timestampsMs: number[];
  #lastMs: number;

  constructor(limit: number, windowMs: number, initial: readonly number[] = []) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#timestampsMs = [...initial];
    this.#lastMs = initial.at(-1) ?? -Infinity;
  }

  take(nowMs: number): RateLimitResult {
    this.#dropExpired(nowMs);
    const allowed = this.#timestampsMs.length < this.#limit;
    if (allowed) {
      this.#timestampsMs.push(nowMs);
    }
    return this.#toResult(allowed, nowMs);
  }

  /** The result that `take` would return, without counting. */
  peek(nowMs: number): RateLimitResult {
    this.#dropExpired(nowMs);
    return this.#toResult(this.#timestampsMs.length < this.#limit, nowMs);
  }

  /** True if nothing is counted at that time, so that the window may be dropped. */
  isEmpty(nowMs: number): boolean {
    this.#dropExpired(nowMs);
    return this.#timestampsMs.length === 0;
  }

  /** Timestamps of the requests counted at that time, oldest first. */
  timestamps(nowMs: number): readonly number[] {
    this.#dropExpired(nowMs);
    return this.#timestampsMs;
  }

  #dropExpired(nowMs: number): void {
    const clockStepBackMs = this.#lastMs - nowMs;
    if (clockStepBackMs > 0) {
      this.#timestampsMs = this.#timestampsMs.map((atMs) => atMs - clockStepBackMs);
    }
    this.#lastMs = nowMs;
    const first = this.#timestampsMs.findIndex((atMs) => atMs > nowMs - this.#windowMs);
    if (first === -1) {
      this.#timestampsMs = [];
    } else if (first > 0) {
      this.#timestampsMs.splice(0, first);
    }
  }

  #toResult(allowed: boolean, nowMs: number): RateLimitResult {
    const resetMs = (this.#timestampsMs[0] ?? nowMs) + this.#windowMs - nowMs;
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - this.#timestampsMs.length,
      resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
    };
  }
}

/** Counted timestamps by the limiter's internal key; persisted across restarts. */
export type RateLimitCounts = Readonly<Record<string, readonly number[]>>;

/** One window per caller. */
export interface RateLimiter {
  take(caller: string, limit: number, nowMs: number): RateLimitResult | Promise<RateLimitResult>;
  /** The result that `take` would return, without counting. */
  peek(caller: string, limit: number, nowMs: number): RateLimitResult | Promise<RateLimitResult>;
  /** The result of `peek` if this process knows without asking another that the request would be refused, else null. */
  knownRefusal(caller: string, limit: number, nowMs: number): RateLimitResult | null;
}

/** A rate limiter of one process. */
export interface MemoryRateLimiter extends RateLimiter {
  take(caller: string, limit: number, nowMs: number): RateLimitResult;
  peek(caller: string, limit: number, nowMs: number): RateLimitResult;
  /**
   * The counts, as `initialCounts` of another limiter. With more than 5,000 callers, only of those that have used half
   * of their limit.
   */
  exportCounts(nowMs: number): RateLimitCounts;
  /** Number of callers held in memory. */
  readonly size: number;
}

const keyOf = (caller: string, limit: number): string => `${limit} ${caller}`;

/** As many are remembered at least, and twice as many at most: a flood of addresses cannot fill the memory. */
const MAX_CALLERS = 50_000;
/** Up to this many callers are exported without filtering. */
const MAX_CALLERS_EXPORTED_IN_FULL = 5_000;

export function createRateLimiter(
  windowMs: number,
  maxCallers = MAX_CALLERS,
  initialCounts: RateLimitCounts = {},
): MemoryRateLimiter {
  /**
   * Callers seen since `beganMs`, and those that were last seen in the period before, which are forgotten at the end of
   * this one. Looking for the least recently seen one of a single `Map` took 7 µs with 10,000 callers, and 24 with 50,000.
   */
  let recent = new Map(
    Object.entries(initialCounts).map(([key, taken]) => [
      key,
      new SlidingWindow(Number.parseInt(key, 10), windowMs, taken),
    ]),
  );
  let earlier: typeof recent = new Map();
  let beganMs = -Infinity;

  const windowOf = (key: string, limit: number): SlidingWindow =>
    recent.get(key) ?? earlier.get(key) ?? new SlidingWindow(limit, windowMs);
  /** After as long as a window nothing is counted of those who were not seen in it. */
  const isPeriodOver = (nowMs: number): boolean =>
    recent.size >= maxCallers || Math.abs(nowMs - beganMs) >= windowMs;

  return {
    get size() {
      return new Set([...recent.keys(), ...earlier.keys()]).size;
    },
    take(caller, limit, nowMs) {
      if (isPeriodOver(nowMs)) {
        earlier = recent;
        recent = new Map();
        beganMs = nowMs;
      }
      const key = keyOf(caller, limit);
      let slidingWindow = recent.get(key);
      if (!slidingWindow) {
        slidingWindow = windowOf(key, limit);
        recent.set(key, slidingWindow);
      }
      return slidingWindow.take(nowMs);
    },
    peek: (caller, limit, nowMs) => windowOf(keyOf(caller, limit), limit).peek(nowMs),
    knownRefusal(caller, limit, nowMs) {
      const result = windowOf(keyOf(caller, limit), limit).peek(nowMs);
      return result.allowed ? null : result;
    },
    exportCounts(nowMs) {
      const held = [...new Map([...earlier, ...recent])].flatMap(
        ([key, callerWindow]): [string, readonly number[]][] => {
          const taken = callerWindow.timestamps(nowMs);
          return taken.length > 0 ? [[key, taken]] : [];
        },
      );
      const all = held.length <= MAX_CALLERS_EXPORTED_IN_FULL;
      return Object.fromEntries(
        held.filter(([key, taken]) => all || taken.length >= Number.parseInt(key, 10) / 2),
      );
    },
  };
}
