import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/support/open-test-database.ts';

test('reads run between two of many transactions', async () => {
  const database = await openTestDatabase();
  let done = 0;
  const changes = Array.from({ length: 100 }, () =>
    database.transaction(async (tx) => {
      await tx.apiKeys.count();
      done += 1;
    }),
  );
  await setImmediate();
  await database.apiKeys.count();
  expect(done).toBeLessThan(10);
  await Promise.all(changes);
  expect(done).toBe(100);
});

test('a failed transaction does not block later ones', async () => {
  const database = await openTestDatabase();
  const failed = database.transaction(() => Promise.reject(new Error('no')));
  const next = database.transaction((tx) => tx.apiKeys.count());
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe(0);
});

test('other callers and the system wait for at most one transaction of a caller with many', async () => {
  const database = await openTestDatabase();
  const done: string[] = [];
  const change = (name: string, owner?: string) =>
    database.transaction(
      async (tx) => {
        await tx.apiKeys.count();
        done.push(name);
      },
      owner === undefined ? {} : { owner },
    );
  const manyChanges = Array.from({ length: 30 }, () => change('many', 'key a'));
  await Promise.all([change('other', 'key b'), change('system'), ...manyChanges]);
  expect(done.slice(0, 4)).toEqual(['many', 'other', 'system', 'many']);
  expect(done).toHaveLength(32);
});
