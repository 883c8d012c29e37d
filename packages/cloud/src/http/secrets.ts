import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

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

const sealingKey = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'sealed answer', 32));

/** Text that only who knows the secret can read again. */
export function seal(text: string, secret: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

export function openSealed(sealed: string, secret: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}
