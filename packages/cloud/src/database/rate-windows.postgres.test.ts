import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgresTestDb } from '../../test/support/postgres-databases.ts';
import { rateWindowRepository } from './rate-windows.ts';

const WINDOW_MS = 60_000;
const openWindows = async () => {
  const db = await openPostgresTestDb(inject('postgres')!, onTestFinished);
  return { db, windows: rateWindowRepository(db) };
};

test('counts as many requests as the limit in each window, and no refused ones', async () => {
  const { windows } = await openWindows();
  const take = (nowMs: number) => windows.take('a', 2, WINDOW_MS, nowMs);
  expect(await windows.peek('a', 2, WINDOW_MS, 0)).toEqual({ isAllowed: true, count: 0, oldestMs: null });
  expect(await take(1_000)).toEqual({ isAllowed: true, count: 1, oldestMs: 1_000 });
  expect(await take(31_000)).toEqual({ isAllowed: true, count: 2, oldestMs: 1_000 });
  expect(await take(60_000)).toEqual({ isAllowed: false, count: 2, oldestMs: 1_000 });
  expect(await windows.peek('a', 2, WINDOW_MS, 60_000)).toMatchObject({ isAllowed: false, count: 2 });
  expect(await take(61_000)).toEqual({ isAllowed: true, count: 2, oldestMs: 31_000 });
  expect(await windows.take('b', 2, WINDOW_MS, 61_000)).toMatchObject({ isAllowed: true, count: 1 });
  // After a pause nothing is counted.
  expect(await take(500_000)).toEqual({ isAllowed: true, count: 1, oldestMs: 500_000 });
});

test('requests at the same time on several connections are counted exactly', async () => {
  const { windows } = await openWindows();
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => windows.take('a', 10, WINDOW_MS, 1_000 + index)),
  );
  expect(results.filter(({ isAllowed }) => isAllowed)).toHaveLength(10);
  expect(await windows.peek('a', 10, WINDOW_MS, 2_000)).toMatchObject({ isAllowed: false, count: 10 });
});

test('callers are forgotten at the end of their window', async () => {
  const { db, windows } = await openWindows();
  await windows.take('a', 2, WINDOW_MS, 1_000);
  await windows.take('b', 2, WINDOW_MS, 20_000);
  await windows.deleteEnded(70_000);
  expect(await db.selectFrom('rate_windows').select('caller').execute()).toEqual([{ caller: 'b' }]);
});
