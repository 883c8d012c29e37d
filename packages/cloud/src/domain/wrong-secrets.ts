import { createRateLimiter } from './rate-window.ts';
import type { Allowance } from './rate-window.ts';

const WINDOW_MS = 60_000;
/** Wrong secrets a minute from one address. */
export const WRONG_PER_ADDRESS = 300;
/** Looks a minute at secrets that somebody chose, once their address gave too many wrong ones. */
export const CHOSEN_PER_ADDRESS = 30;
/** A laptop travels, a provider gives new addresses: the latest ones of a secret are remembered. */
const ADDRESSES_OF_A_SECRET = 4;
const MOST_SECRETS = 100_000;

/**
 * Who tries one secret after the other. An address that gave too many wrong ones is refused before a secret is
 * looked at, right or wrong; all but the secrets that were right from this very address before, so that nobody
 * shuts out the screens behind the same address.
 */
export interface WrongSecrets {
  /**
   * Null: the secret may be looked at. Otherwise when to come back. `chosen`: by a person, so that it could be
   * guessed; whether it was right here before is then looked at only so often.
   */
  refused(address: string, secret: { hash: string; chosen: boolean }, nowMs: number): Allowance | null;
  wrong(address: string, nowMs: number): void;
  /** The secret is right, and was used (or handed out) at the address. */
  right(address: string, secretHash: string): void;
  /** The secret is right no more. */
  forget(secretHash: string): void;
}

export function createWrongSecrets(): WrongSecrets {
  const failures = createRateLimiter(WINDOW_MS);
  const looks = createRateLimiter(WINDOW_MS);
  /** Hash of the secret → addresses that it came from; both latest last. */
  const known = new Map<string, string[]>();
  return {
    refused(address, { hash, chosen }, nowMs) {
      const allowance = failures.look(address, WRONG_PER_ADDRESS, nowMs);
      if (allowance.allowed) return null;
      if (chosen && !looks.take(address, CHOSEN_PER_ADDRESS, nowMs).allowed) return allowance;
      return known.get(hash)?.includes(address) ? null : allowance;
    },
    wrong: (address, nowMs) => void failures.take(address, WRONG_PER_ADDRESS, nowMs),
    forget: (secretHash) => void known.delete(secretHash),
    right(address, secretHash) {
      const before = known.get(secretHash) ?? [];
      if (before.at(-1) === address) return;
      known.delete(secretHash);
      known.set(
        secretHash,
        [...before.filter((each) => each !== address), address].slice(-ADDRESSES_OF_A_SECRET),
      );
      for (const [oldest] of known) {
        if (known.size <= MOST_SECRETS) break;
        known.delete(oldest);
      }
    },
  };
}
