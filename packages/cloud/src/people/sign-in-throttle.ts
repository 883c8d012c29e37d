import { createHash } from 'node:crypto';
import type { RateLimitResult, RateLimiter } from '../domain/rate-limiter.ts';

const WINDOW_MS = 15 * 60_000;
/** Attempts in 15 minutes. */
export const MAX_ATTEMPTS_PER_ADDRESS = 100;
export const MAX_ATTEMPTS_PER_ACCOUNT = 20;

export interface SignInThrottle {
  /** Counts an attempt of anything that can be guessed; null: go on, otherwise when to come back. */
  countAddress(address: string, nowMs: number): Promise<RateLimitResult | null>;
  /**
   * The same for an account, whether it exists or not. Where its person is signed in already they have attempts of their
   * own, so that strangers cannot lock them out.
   */
  countAccount(
    attempt: { account: string; address: string; isKnownAddress: boolean },
    nowMs: number,
  ): Promise<RateLimitResult | null>;
}

/** Throttles guesses of passwords and codes, over all nodes. */
export function createSignInThrottle(
  newLimiter: (name: string, windowMs: number) => RateLimiter,
): SignInThrottle {
  const attempts = newLimiter('sign-in attempts', WINDOW_MS);
  const take = async (name: string, limit: number, nowMs: number) => {
    const result = await attempts.take(name, limit, nowMs);
    return result.allowed ? null : result;
  };
  return {
    countAddress: (address, nowMs) => take(`address ${address}`, MAX_ATTEMPTS_PER_ADDRESS, nowMs),
    countAccount: ({ account, address, isKnownAddress }, nowMs) =>
      take(
        // Counts are kept in a file: without the names of people.
        `account ${hash(account)}${isKnownAddress ? ` at ${address}` : ''}`,
        MAX_ATTEMPTS_PER_ACCOUNT,
        nowMs,
      ),
  };
}

const hash = (account: string): string => createHash('sha256').update(account).digest('hex').slice(0, 24);
