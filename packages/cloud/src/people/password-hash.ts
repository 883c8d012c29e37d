import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** 32 MiB and a tenth of a second of a thread; better-auth chooses the same. Each hash says its own. */
const PASSWORD_COST_LOG2 = 14;
const BLOCKS = { r: 16, p: 1, maxmem: 64 * 2 ** 20 };
type Cost = typeof BLOCKS & { N: number };
/** Node has four such threads, which also read files. */
const MAX_AT_ONCE = 2;
/** Those who wait; whoever signs in beyond that is refused. */
const MAX_WAITING = 100;

export class TooManyPasswords extends Error {
  override readonly name = 'TooManyPasswords';
}

export interface PasswordHasher {
  /** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. Throws `TooManyPasswords`, as `verify`. */
  hash(password: string): Promise<string>;
  verify(password: string, hashed: string): Promise<boolean>;
}

/** Hashes passwords in threads of Node, a few at a time, so that neither the event loop nor files wait for them. */
export function createPasswordHasher(costLog2 = PASSWORD_COST_LOG2): PasswordHasher {
  let running = 0;
  const waiting: (() => void)[] = [];

  const derive = async (password: string, salt: Buffer, cost: Cost): Promise<Buffer> => {
    if (running >= MAX_AT_ONCE) {
      if (waiting.length >= MAX_WAITING) {
        throw new TooManyPasswords('too many passwords are being checked');
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await new Promise<Buffer>((resolve, reject) =>
        scrypt(password.normalize('NFKC'), salt, 32, cost, (error, key) =>
          error ? reject(error) : resolve(key),
        ),
      );
    } finally {
      // Hands its place on.
      const next = waiting.shift();
      if (next) {
        next();
      } else {
        running -= 1;
      }
    }
  };

  return {
    async hash(password) {
      const salt = randomBytes(16);
      const hash = await derive(password, salt, { ...BLOCKS, N: 2 ** costLog2 });
      const { r, p } = BLOCKS;
      return ['scrypt', costLog2, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
    },
    async verify(password, hashed) {
      const [, log2N = '', r = '', p = '', salt = '', hash = ''] = hashed.split('$');
      const cost = { ...BLOCKS, N: 2 ** Number(log2N), r: Number(r), p: Number(p) };
      const expected = Buffer.from(hash, 'base64url');
      const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
      return expected.length === derived.length && timingSafeEqual(expected, derived);
    },
  };
}
