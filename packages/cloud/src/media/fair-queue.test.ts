import { expect, test } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

const drain = <T>(queue: ReturnType<typeof createFairQueue<T>>): T[] => {
  const all: T[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    all.push(item);
  }
  return all;
};

test('an owner with many files does not block other owners', () => {
  const queue = createFairQueue<string>({ maxSize: 100, maxPerOwner: 100 });
  for (const item of ['a1', 'a2', 'a3', 'a4']) {
    queue.push('a', item);
  }
  queue.push('b', 'b1');
  queue.push('c', 'c1');
  queue.push('b', 'b2');
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('one owner fills its share, all together fill the queue, and no more', () => {
  const queue = createFairQueue<number>({ maxSize: 3, maxPerOwner: 2 });
  expect([queue.push('a', 1), queue.push('a', 2), queue.push('a', 3)]).toEqual([true, true, false]);
  expect([queue.push('b', 4), queue.push('c', 5)]).toEqual([true, false]);
  expect(drain(queue)).toEqual([1, 4, 2]);
  expect(queue.push('a', 6)).toBe(true);
});

const notA = (owner: string) => owner !== 'a';

test('an owner that may not go keeps its place and what it has, and holds up nobody', () => {
  const queue = createFairQueue<string>({ maxSize: 10, maxPerOwner: 10 });
  for (const item of ['a1', 'a2']) {
    queue.push('a', item);
  }
  queue.push('b', 'b1');
  expect([queue.next(notA), queue.next(notA)]).toEqual(['b1', undefined]);
  expect(drain(queue)).toEqual(['a1', 'a2']);
});
