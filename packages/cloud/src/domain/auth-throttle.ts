import { createRecentMap } from './recent-map.ts';
import type { RateLimitResult, RateLimiter } from './rate-limiter.ts';

const WINDOW_MS = 60_000;
/** Wrong secrets per minute from one address. */
export const MAX_FAILURES_PER_ADDRESS = 300;
/** Checks per minute of user-chosen secrets from an address that is throttled. */
export const MAX_USER_CHOSEN_CHECKS_PER_ADDRESS = 30;
/** Clients change addresses; the most recent ones of each secret are remembered. */
const MAX_ADDRESSES_PER_SECRET = 4;
/** As many devices as an organization may have report in turn, and keys and people between them. */
const MIN_SECRETS = 110_000;

/** A secret as it was presented. */
export interface SecretAttempt {
  address: string;
  hash: string;
  /** By a person, so that it could be guessed. */
  isUserChosen: boolean;
}

/**
 * Throttles brute-force attempts. An address with too many wrong secrets is rejected before its secret is checked,
 * except for secrets that were accepted from this address before, so that an attacker cannot lock out devices behind
 * the same address.
 */
export interface AuthThrottle {
  /**
   * Null: the secret may be looked at. Otherwise when to come back. A user-chosen secret that was not right here before
   * is counted as a wrong one now: of attempts at the same time no more are looked at than the limit. From a throttled
   * address it is looked at only so often whether it was right here before.
   */
  check(attempt: SecretAttempt, nowMs: number): Promise<RateLimitResult | null>;
  /** Whether the secret was right at the address: a generated one may then be looked at. */
  isKnown(attempt: Pick<SecretAttempt, 'address' | 'hash'>): boolean;
  /** The secret is wrong, or no longer right. Returns when to come back if that must be answered instead. */
  recordFailure(attempt: SecretAttempt, nowMs: number): Promise<RateLimitResult | null>;
  /** The secret was accepted from, or issued to, the address. */
  recordSuccess(address: string, secretHash: string): void;
}

/**
 * Wrong secrets count over all nodes; which secrets were right at an address each node knows for itself. A generated
 * secret cannot be guessed, so a right one costs no count that would have to be asked for.
 */
export function createAuthThrottle(
  newLimiter: (name: string, windowMs: number) => RateLimiter,
): AuthThrottle {
  const failures = newLimiter('wrong secrets of an address', WINDOW_MS);
  const userChosenChecks = newLimiter('secrets of a throttled address', WINDOW_MS);
  /** Secret hash → addresses that used it, ordered from least to most recent. */
  const addressesBySecret = createRecentMap<string, string[]>(MIN_SECRETS);

  const isKnown: AuthThrottle['isKnown'] = ({ address, hash }) =>
    addressesBySecret.get(hash)?.includes(address) ?? false;
  return {
    isKnown,
    async check(attempt, nowMs) {
      const { address, isUserChosen } = attempt;
      const refusal = failures.knownRefusal(address, MAX_FAILURES_PER_ADDRESS, nowMs);
      if (!isUserChosen) {
        return isKnown(attempt) ? null : refusal;
      }
      const allowance =
        refusal ??
        (isKnown(attempt)
          ? await failures.peek(address, MAX_FAILURES_PER_ADDRESS, nowMs)
          : await failures.take(address, MAX_FAILURES_PER_ADDRESS, nowMs));
      if (allowance.allowed) {
        return null;
      }
      const checks = await userChosenChecks.take(address, MAX_USER_CHOSEN_CHECKS_PER_ADDRESS, nowMs);
      return checks.allowed && isKnown(attempt) ? null : allowance;
    },
    async recordFailure(attempt, nowMs) {
      const wasKnown = isKnown(attempt);
      // The key was revoked or has expired, or the device was removed.
      addressesBySecret.delete(attempt.hash);
      if (attempt.isUserChosen) {
        return null;
      }
      const counted = await failures.take(attempt.address, MAX_FAILURES_PER_ADDRESS, nowMs);
      return counted.allowed || wasKnown ? null : counted;
    },
    recordSuccess(address, secretHash) {
      const before = addressesBySecret.get(secretHash) ?? [];
      if (before.at(-1) === address) {
        return;
      }
      const addresses = [...before.filter((each) => each !== address), address];
      addressesBySecret.set(secretHash, addresses.slice(-MAX_ADDRESSES_PER_SECRET));
    },
  };
}
