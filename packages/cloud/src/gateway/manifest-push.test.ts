import { expect, test } from 'vitest';
import { createManifestPush } from './manifest-push.ts';
import type { ManifestPushDeps } from './manifest-push.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Devices that each know a revision; `unread` ones must be read before they can be told. */
function setUp(count: number, more: Partial<ManifestPushDeps> = {}) {
  const ids = Array.from({ length: count }, (_, n) => `dev_${n}`);
  const known = new Map(ids.map((id) => [id, 0]));
  const unread = new Set<string>();
  const told: string[] = [];
  const reads: number[] = [];
  const errors: unknown[] = [];
  const state = { revision: 0 };
  const push = createManifestPush({
    connected: () => ids,
    beginPush: () => () => {},
    tell(id) {
      if (unread.has(id)) {
        return 'unread';
      }
      if (known.get(id) === state.revision) {
        return 'unchanged';
      }
      known.set(id, state.revision);
      told.push(`${id} ${state.revision}`);
      return 'told';
    },
    async read(missing) {
      reads.push(missing.length);
      for (const id of missing) {
        unread.delete(id);
      }
    },
    onError: (error) => void errors.push(error),
    ...more,
  });
  return { ids, state, told, unread, reads, errors, push };
}

const untilTold = async (told: readonly string[], count: number) => {
  while (told.length < count) {
    await nextTurn();
  }
  await nextTurn();
  await nextTurn();
};

test('a change for one device is told at once, one for all in several turns of the event loop, once each', async () => {
  const { ids, state, told, push } = setUp(1000);
  state.revision = 1;
  push.add(['dev_7']);
  expect(told).toEqual(['dev_7 1']);
  push.add(null);
  expect(told.length).toBeLessThan(200);
  await untilTold(told, 1000);
  expect(told.toSorted()).toEqual(ids.map((id) => `${id} 1`).toSorted());
});

test('a change during a push is told to those before it as well, and nobody is told the older one afterwards', async () => {
  const { ids, state, told, push } = setUp(1000);
  state.revision = 1;
  push.add(null);
  const before = told.length;
  expect(before).toBeGreaterThan(0);
  state.revision = 2;
  push.add(null);
  await untilTold(told, 1000 + before);
  expect(told.slice(0, before).every((each) => each.endsWith(' 1'))).toBe(true);
  expect(told.slice(before).toSorted()).toEqual(ids.map((id) => `${id} 2`).toSorted());
});

test('devices that are not in memory are read, many at once, and then told', async () => {
  const { ids, state, told, unread, reads, push } = setUp(250);
  for (const id of ids) {
    unread.add(id);
  }
  state.revision = 1;
  push.add(null);
  await untilTold(told, 250);
  expect(reads).toEqual([100, 100, 50]);
});

test('a failed read is reported, and the next change is told', async () => {
  let fails = true;
  const { state, told, unread, errors, push } = setUp(3, {
    async read() {
      if (fails) {
        throw new Error('disk');
      }
    },
  });
  unread.add('dev_1');
  state.revision = 1;
  push.add(null);
  await nextTurn();
  expect(errors).toHaveLength(1);
  fails = false;
  unread.clear();
  push.add(null);
  await untilTold(told, 3);
});

test('nothing is told after stop', async () => {
  const { state, told, push } = setUp(1000);
  state.revision = 1;
  push.add(null);
  const before = told.length;
  push.stop();
  await nextTurn();
  await nextTurn();
  expect(told).toHaveLength(before);
  push.add(null);
  expect(told).toHaveLength(before);
});
