import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFairMutex } from './fair-mutex.ts';

test('an owner with many changes delays each other owner by at most one change, and so do all changes without owner together', async () => {
  const mutex = createFairMutex(() => setImmediate());
  const done: string[] = [];
  const runNamed = (owner: string | null, name: string) =>
    mutex.runExclusive(owner, async () => {
      await setImmediate();
      done.push(name);
    });
  const many = [1, 2, 3, 4, 5, 6].map((n) => runNamed('a', `a${n}`));
  await setImmediate();
  await Promise.all([
    runNamed('b', 'b1'),
    runNamed(null, 'x'),
    runNamed(null, 'y'),
    runNamed(null, 'z'),
    runNamed('b', 'b2'),
    ...many,
  ]);
  expect(done).toEqual(['a1', 'b1', 'x', 'a2', 'b2', 'y', 'a3', 'z', 'a4', 'a5', 'a6']);
});

test('a change runs when the queue is idle, and a failed change does not block later ones', async () => {
  const mutex = createFairMutex(() => setImmediate());
  await expect(mutex.runExclusive('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await mutex.runExclusive('a', async () => 1)).toBe(1);
  await setImmediate();
  await setImmediate();
  expect(await mutex.runExclusive(null, async () => 2)).toBe(2);
});
