import type { rateWindowRepository } from '../database/rate-windows.ts';
import type { CountedRequests } from '../database/rate-windows.ts';
import { setMostRecent } from '../domain/lru-map.ts';
import type { RateLimitResult, RateLimiter } from '../domain/rate-limiter.ts';

/** Callers at their limit that are remembered; beyond this the database is asked again. */
const MAX_REFUSED_CALLERS = 10_000;

/** A rate limiter that counts the requests to all nodes of the cloud, in their database. One per name. */
export function createSharedRateLimiter(
  windows: Pick<ReturnType<typeof rateWindowRepository>, 'take' | 'peek'>,
  name: string,
  windowMs: number,
): RateLimiter {
  const keyOf = (caller: string, limit: number) => `${name} ${limit} ${caller}`;
  /** Until when requests of callers at their limit are refused, by key. */
  const refusedUntilMs = new Map<string, number>();

  const toResult = (
    { isAllowed, count, oldestMs }: CountedRequests,
    caller: string,
    limit: number,
    nowMs: number,
  ): RateLimitResult => {
    const resetMs = (oldestMs ?? nowMs) + windowMs;
    if (count >= limit) {
      setMostRecent(refusedUntilMs, keyOf(caller, limit), resetMs, MAX_REFUSED_CALLERS);
    }
    return {
      allowed: isAllowed,
      limit,
      remaining: limit - count,
      resetSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
    };
  };
  return {
    take: async (caller, limit, nowMs) =>
      toResult(await windows.take(keyOf(caller, limit), limit, windowMs, nowMs), caller, limit, nowMs),
    peek: async (caller, limit, nowMs) =>
      toResult(await windows.peek(keyOf(caller, limit), limit, windowMs, nowMs), caller, limit, nowMs),
    knownRefusal(caller, limit, nowMs) {
      const leftMs = (refusedUntilMs.get(keyOf(caller, limit)) ?? nowMs) - nowMs;
      // Longer than a window: the clock was set back.
      return leftMs > 0 && leftMs <= windowMs
        ? { allowed: false, limit, remaining: 0, resetSeconds: Math.ceil(leftMs / 1000) }
        : null;
    },
  };
}
