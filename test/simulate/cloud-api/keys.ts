import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '@placard/protocol/api';

const WINDOW_MS = 60_000;
/** The clocks are read at different ends of a connection. */
const SLACK_MS = 1_500;
/** Requests a minute that the cloud allows, less a few that are repeated. */
const PER_MINUTE: Record<Scope, number> = { Read: 95, Write: 28, Admin: 28 };
/** The most keys of a scope. */
const MAX_KEYS: Record<Scope, number> = { Read: 100, Write: 20, Admin: 6 };
/** Requests of the last Admin key that are left to create the next one. */
const RESERVE = 3;
/** They end by themselves if the simulator is killed. */
const LIFETIME_MS = 6 * 3_600_000;
/** How often it looks for a key that has requests left again. */
const POLL_MS = 250;

interface PooledKey {
  secret: string;
  id: string | null;
  /** When it was used in the last minute. */
  usedAtMs: number[];
  endsAtMs: number;
}

export interface KeysDeps {
  adminKey: string;
  create(
    scope: Scope,
    expiresAt: string,
    takeKey: () => Promise<string>,
  ): Promise<{ id: string; key: string }>;
  remove(id: string, takeKey: () => Promise<string>): Promise<void>;
}

/** Keys with requests left in their minute. */
export interface Keys {
  /** A key of this scope; creates one, or waits. */
  take(scope: Scope): Promise<string>;
  /** Revokes the created ones. */
  close(): Promise<void>;
}

export function createKeys(deps: KeysDeps): Keys {
  const admin = { secret: deps.adminKey, id: null, usedAtMs: [], endsAtMs: Number.POSITIVE_INFINITY };
  const pools: Record<Scope, PooledKey[]> = { Read: [], Write: [], Admin: [admin] };
  const queues: Record<Scope, Promise<unknown>> = {
    Read: Promise.resolve(),
    Write: Promise.resolve(),
    Admin: Promise.resolve(),
  };

  const remaining = (scope: Scope, key: PooledKey): number => {
    const since = performance.now() - WINDOW_MS - SLACK_MS;
    key.usedAtMs = key.usedAtMs.filter((at) => at > since);
    return PER_MINUTE[scope] - key.usedAtMs.length;
  };

  const use = (key: PooledKey): string => {
    key.usedAtMs.push(performance.now());
    return key.secret;
  };

  async function create(scope: Scope, takeKey: () => Promise<string>): Promise<void> {
    const endsAtMs = performance.now() + LIFETIME_MS;
    // Later than that, so that none is used that has ended.
    const expiresAt = new Date(Date.now() + LIFETIME_MS + WINDOW_MS).toISOString();
    const { id, key } = await deps.create(scope, expiresAt, takeKey);
    pools[scope].push({ secret: key, id, usedAtMs: [], endsAtMs });
  }

  async function find(scope: Scope): Promise<string> {
    for (;;) {
      pools[scope] = pools[scope].filter((key) => key.endsAtMs > performance.now());
      const pool = pools[scope];
      const canCreate = pool.length < MAX_KEYS[scope];
      const least = scope === 'Admin' && canCreate ? RESERVE : 0;
      const free = pool.find((key) => remaining(scope, key) > least);
      if (free) {
        return use(free);
      }
      const last = pool.find((key) => remaining(scope, key) > 0);
      if (canCreate && scope !== 'Admin') {
        await create(scope, () => take('Admin'));
      } else if (canCreate && last) {
        await create('Admin', () => Promise.resolve(use(last)));
      } else {
        await sleep(POLL_MS);
      }
    }
  }

  async function findAfter(before: Promise<unknown>, scope: Scope): Promise<string> {
    await before;
    return find(scope);
  }

  /** One after the other, so that two callers never take the last request of a key. */
  function take(scope: Scope): Promise<string> {
    const taken = findAfter(queues[scope], scope);
    queues[scope] = taken.catch(() => {});
    return taken;
  }

  return {
    take,
    async close() {
      for (const { id } of Object.values(pools).flat()) {
        if (id !== null) {
          await deps.remove(id, () => take('Admin'));
        }
      }
    },
  };
}
