import { scryptSync } from 'node:crypto';

/** Checks a PIN as the player does. */
export function pinMatchesHash(pin: string, storedHash: string): boolean {
  const [kind, log2N, salt = '', hash = ''] = storedHash.split('$');
  const N = 2 ** Number(log2N);
  const computedHash = scryptSync(pin, Buffer.from(salt, 'base64url'), 32, { N, r: 8, p: 1 });
  return kind === 'scrypt' && N === 16_384 && computedHash.equals(Buffer.from(hash, 'base64url'));
}
