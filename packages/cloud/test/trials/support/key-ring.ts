import { z } from 'zod';
import { assert } from './contract-violation.ts';
import type { HttpClient } from './http-client.ts';

const WINDOW_MS = 60_000;
// The clocks are read at different ends of a connection, and on a busy machine a request arrives late.
const SLACK_MS = 15_000;
const LIMIT = 30;
/** Requests of every key reserved for creating the next key; a crash may lose some of them. */
const RESERVED_REQUESTS = 5;
const madeKey = z.object({ key: z.string() });

/** An unlimited supply of Admin keys: each key creates the next before it is used up. */
export interface KeyRing {
  /** Returns a key with at least one request left in its minute. */
  take(): Promise<string>;
  /** Counts a retried request, which must use the same key as before. */
  countRetry(secret: string): void;
  readonly size: number;
}

/** Stays below the limit of 30 requests per minute and key by creating more keys, never by waiting. */
export function createKeyRing(deps: { client: HttpClient; adminKey: string }): KeyRing {
  interface PooledKey {
    secret: string;
    usedAtMs: number[];
  }
  const keys: PooledKey[] = [{ secret: deps.adminKey, usedAtMs: [] }];
  let current = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const remainingRequests = (key: PooledKey) => {
    const since = performance.now() - WINDOW_MS - SLACK_MS;
    while (key.usedAtMs.length > 0 && (key.usedAtMs[0] ?? 0) < since) {
      key.usedAtMs.shift();
    }
    return LIMIT - key.usedAtMs.length;
  };
  const use = (key: PooledKey) => {
    key.usedAtMs.push(performance.now());
    return key.secret;
  };

  async function next(): Promise<string> {
    for (let step = 0; step < keys.length; step++) {
      const index = (current + step) % keys.length;
      const key = keys[index]!;
      if (remainingRequests(key) > RESERVED_REQUESTS) {
        current = index;
        return use(key);
      }
    }
    const creator = keys.find((key) => remainingRequests(key) > 0);
    // Not an error of the cloud: crashes used up the requests reserved for creating a key.
    if (!creator) {
      throw new Error('every key is used up');
    }
    const made = await deps.client.send({
      method: 'POST',
      path: '/v1/api-keys',
      key: use(creator),
      json: { name: `ring ${keys.length}`, scope: 'Admin' },
    });
    assert(made.status === 201, 'a key could not be created', made);
    const key = { secret: madeKey.parse(made.data).key, usedAtMs: [] };
    keys.push(key);
    current = keys.length - 1;
    return use(key);
  }

  const runAfter = async (before: Promise<unknown>): Promise<string> => {
    await before;
    return next();
  };

  return {
    take() {
      // Serialized, so that two callers never use the same last request to create a key.
      const result = runAfter(queue);
      queue = result.catch(() => {});
      return result;
    },
    countRetry(secret) {
      const key = keys.find((one) => one.secret === secret);
      if (key) {
        use(key);
      }
    },
    get size() {
      return keys.length;
    },
  };
}
