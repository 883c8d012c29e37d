import type { rateWindowRepository } from '../database/rate-windows.ts';
import type { CountedRequests } from '../database/rate-windows.ts';
import type { RateLimitResult, RateLimiter } from '../domain/rate-limiter.ts';

/** A rate limiter that counts the requests to all nodes of the cloud, in their database. One per name. */
export function createSharedRateLimiter(
  windows: Pick<ReturnType<typeof rateWindowRepository>, 'take' | 'peek'>,
  name: string,
  windowMs: number,
): RateLimiter {
  const keyOf = (caller: string, limit: number) => `${name} ${limit} ${caller}`;
  const toResult = (
    { isAllowed, count, oldestMs }: CountedRequests,
    limit: number,
    nowMs: number,
  ): RateLimitResult => ({
    allowed: isAllowed,
    limit,
    remaining: limit - count,
    resetSeconds: Math.max(1, Math.ceil(((oldestMs ?? nowMs) + windowMs - nowMs) / 1000)),
  });
  return {
    take: async (caller, limit, nowMs) =>
      toResult(await windows.take(keyOf(caller, limit), limit, windowMs, nowMs), limit, nowMs),
    peek: async (caller, limit, nowMs) =>
      toResult(await windows.peek(keyOf(caller, limit), limit, windowMs, nowMs), limit, nowMs),
  };
}
