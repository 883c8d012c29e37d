import { scryptSync } from 'node:crypto';

/** What a player does to find out whether this is the PIN. */
export function opensMenu(pin: string, hashed: string): boolean {
  const [kind, log2N, salt = '', hash = ''] = hashed.split('$');
  const N = 2 ** Number(log2N);
  const found = scryptSync(pin, Buffer.from(salt, 'base64url'), 32, { N, r: 8, p: 1 });
  return kind === 'scrypt' && N === 16_384 && found.equals(Buffer.from(hash, 'base64url'));
}
