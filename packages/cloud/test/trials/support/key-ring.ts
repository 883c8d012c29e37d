import { z } from 'zod';
import { must } from './breach.ts';
import type { Client } from './client.ts';

const WINDOW_MS = 60_000;
// The server's minute and ours are read at different ends of a connection.
const SLACK_MS = 1_500;
const LIMIT = 30;
/** The last requests of every key are for making another: a crash may eat some of them. */
const KEPT = 5;
const madeKey = z.object({ key: z.string() });

/** Admin keys without end: each key, before it is used up, makes the next. */
export interface KeyRing {
  /** A key with at least one more request in its minute. */
  take(): Promise<string>;
  /** Counts a request that is sent again: it has to go with the key that it went with. */
  useAgain(secret: string): void;
  readonly size: number;
}

/** The limit of 30 requests a minute and key is honoured by having more keys, never by waiting. */
export function createKeyRing(deps: { client: Client; adminKey: string }): KeyRing {
  interface Held {
    secret: string;
    usedAtMs: number[];
  }
  const held: Held[] = [{ secret: deps.adminKey, usedAtMs: [] }];
  let current = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const left = (key: Held) => {
    const since = performance.now() - WINDOW_MS - SLACK_MS;
    while (key.usedAtMs.length > 0 && (key.usedAtMs[0] ?? 0) < since) key.usedAtMs.shift();
    return LIMIT - key.usedAtMs.length;
  };
  const use = (key: Held) => {
    key.usedAtMs.push(performance.now());
    return key.secret;
  };

  async function next(): Promise<string> {
    for (let step = 0; step < held.length; step++) {
      const index = (current + step) % held.length;
      const key = held[index]!;
      if (left(key) > KEPT) {
        current = index;
        return use(key);
      }
    }
    const maker = held.find((key) => left(key) > 0);
    // No fault of the cloud: a crash ate the requests that should have made a key.
    if (!maker) throw new Error('every key is used up');
    const made = await deps.client.send({
      method: 'POST',
      path: '/v1/api-keys',
      key: use(maker),
      json: { name: `ring ${held.length}`, scope: 'Admin' },
    });
    must(made.status === 201, 'a key could not be made', made);
    const key = { secret: madeKey.parse(made.data).key, usedAtMs: [] };
    held.push(key);
    current = held.length - 1;
    return use(key);
  }

  const inTurn = async (before: Promise<unknown>): Promise<string> => {
    await before;
    return next();
  };

  return {
    take() {
      // One after the other, so that two callers never make two keys out of one last request.
      const mine = inTurn(turn);
      turn = mine.catch(() => {});
      return mine;
    },
    useAgain(secret) {
      const key = held.find((one) => one.secret === secret);
      if (key) use(key);
    },
    get size() {
      return held.length;
    },
  };
}
