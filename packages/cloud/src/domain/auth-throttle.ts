import { setMostRecent } from './lru-map.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { RateLimitResult } from './rate-limiter.ts';

const WINDOW_MS = 60_000;
/** Wrong secrets per minute from one address. */
export const MAX_FAILURES_PER_ADDRESS = 300;
/** Checks per minute of user-chosen secrets from an address that is throttled. */
export const MAX_USER_CHOSEN_CHECKS_PER_ADDRESS = 30;
/** Clients change addresses; the most recent ones of each secret are remembered. */
const MAX_ADDRESSES_PER_SECRET = 4;
const MAX_SECRETS = 100_000;

/**
 * Throttles brute-force attempts. An address with too many wrong secrets is rejected before its secret is checked,
 * except for secrets that were accepted from this address before, so that an attacker cannot lock out devices behind
 * the same address.
 */
export interface AuthThrottle {
  /**
   * Null: the secret may be looked at. Otherwise when to come back. `isUserChosen`: by a person, so that it could be
   * guessed; whether it was right here before is then looked at only so often.
   */
  check(
    address: string,
    secret: { hash: string; isUserChosen: boolean },
    nowMs: number,
  ): RateLimitResult | null;
  recordFailure(address: string, nowMs: number): void;
  /** The secret was accepted from, or issued to, the address. */
  recordSuccess(address: string, secretHash: string): void;
  /** The secret was revoked. */
  forgetSecret(secretHash: string): void;
}

export function createAuthThrottle(): AuthThrottle {
  const failures = createRateLimiter(WINDOW_MS);
  const userChosenChecks = createRateLimiter(WINDOW_MS);
  /** Secret hash → addresses that used it; both ordered from least to most recent. */
  const addressesBySecret = new Map<string, string[]>();
  return {
    check(address, { hash, isUserChosen }, nowMs) {
      const allowance = failures.peek(address, MAX_FAILURES_PER_ADDRESS, nowMs);
      if (allowance.allowed) {
        return null;
      }
      if (
        isUserChosen &&
        !userChosenChecks.take(address, MAX_USER_CHOSEN_CHECKS_PER_ADDRESS, nowMs).allowed
      ) {
        return allowance;
      }
      return addressesBySecret.get(hash)?.includes(address) ? null : allowance;
    },
    recordFailure: (address, nowMs) => void failures.take(address, MAX_FAILURES_PER_ADDRESS, nowMs),
    forgetSecret: (secretHash) => void addressesBySecret.delete(secretHash),
    recordSuccess(address, secretHash) {
      const before = addressesBySecret.get(secretHash) ?? [];
      if (before.at(-1) === address) {
        return;
      }
      const addresses = [...before.filter((each) => each !== address), address];
      setMostRecent(addressesBySecret, secretHash, addresses.slice(-MAX_ADDRESSES_PER_SECRET), MAX_SECRETS);
    },
  };
}
