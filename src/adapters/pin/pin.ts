import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { PinVerifier } from '../../core/ports.ts';

/** 2^14: 16 MiB and about 50 ms on a small board. */
const LOG2_N = 14;
const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** A hash with a higher cost is not one of ours. */
const MAX_LOG2_N = 18;
const FORMAT = /^scrypt\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** `scrypt$<log2 N>$<salt>$<hash>`, salt and hash base64url: the format in which a PIN is stored and sent. */
export async function hashPin(pin: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(pin, salt, LOG2_N);
  return `scrypt$${LOG2_N}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** Compares in constant time; an invalid hash matches nothing. */
export const pinVerifier: PinVerifier = {
  async verify(pin, hash) {
    const [, log2N = '', salt = '', wanted = ''] = FORMAT.exec(hash) ?? [];
    const expected = Buffer.from(wanted, 'base64url');
    if (expected.length !== KEY_BYTES || Number(log2N) < 1 || Number(log2N) > MAX_LOG2_N) {
      return false;
    }
    return timingSafeEqual(await derive(pin, Buffer.from(salt, 'base64url'), Number(log2N)), expected);
  },
};

function derive(pin: string, salt: Buffer, log2N: number): Promise<Buffer> {
  const cost = 2 ** log2N;
  const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem: 256 * cost * BLOCK_SIZE };
  return new Promise((resolve, reject) => {
    scrypt(pin, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
