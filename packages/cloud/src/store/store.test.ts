import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTestStore } from '../../test/support/open-store.ts';

test('others have their turn between two of many changes', async () => {
  const store = await openTestStore();
  let done = 0;
  const changes = Array.from({ length: 100 }, () =>
    store.transaction(async (work) => {
      await work.apiKeys.count();
      done += 1;
    }),
  );
  await setImmediate();
  await store.apiKeys.count();
  expect(done).toBeLessThan(10);
  await Promise.all(changes);
  expect(done).toBe(100);
});

test('a change that fails keeps none of those after it from being made', async () => {
  const store = await openTestStore();
  const failed = store.transaction(() => Promise.reject(new Error('no')));
  const next = store.transaction((work) => work.apiKeys.count());
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe(0);
});

test('a change of another caller, or of the system, waits for one change of a caller with many', async () => {
  const store = await openTestStore();
  const done: string[] = [];
  const change = (name: string, owner?: string) =>
    store.transaction(
      async (work) => {
        await work.apiKeys.count();
        done.push(name);
      },
      owner === undefined ? {} : { owner },
    );
  const many = Array.from({ length: 30 }, () => change('many', 'key a'));
  await Promise.all([change('other', 'key b'), change('system'), ...many]);
  expect(done.slice(0, 4)).toEqual(['many', 'other', 'system', 'many']);
  expect(done).toHaveLength(32);
});
