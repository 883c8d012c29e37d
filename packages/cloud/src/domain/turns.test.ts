import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('one owner with many changes delays another, or a change of nobody, by one at most', async () => {
  const turns = createTurns(() => setImmediate());
  const done: string[] = [];
  const take = (owner: string | null, name: string) =>
    turns.take(owner, async () => {
      await setImmediate();
      done.push(name);
    });
  const many = [1, 2, 3, 4, 5, 6].map((n) => take('a', `a${n}`));
  await setImmediate();
  await Promise.all([take('b', 'b1'), take(null, 'x'), take('b', 'b2'), take(null, 'y'), ...many]);
  expect(done).toEqual(['a1', 'b1', 'x', 'y', 'a2', 'b2', 'a3', 'a4', 'a5', 'a6']);
});

test('a change that comes when all are done is made, and one that fails stops nobody', async () => {
  const turns = createTurns(() => setImmediate());
  await expect(turns.take('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.take('a', async () => 1)).toBe(1);
  await setImmediate();
  await setImmediate();
  expect(await turns.take(null, async () => 2)).toBe(2);
});
