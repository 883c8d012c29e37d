import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret: 256 random bits behind a prefix that says what it opens. */
export const newSecret = (prefix: string): string => prefix + randomBytes(32).toString('base64url');

/** What is stored instead of a secret. One round is enough for 256 random bits. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Equality that takes the same time wherever the difference is. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [hashSecret(a), hashSecret(b)];
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
