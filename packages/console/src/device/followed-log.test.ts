import { expect, test } from 'vitest';
import { addLines } from './followed-log.ts';
import type { FollowedLog } from './followed-log.ts';

const linesOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `line ${first + index}`);
const newest = (first: number, count: number, run = 'a') => ({ run, first, lines: linesOf(first, count) });

test('only new lines are added, in order', () => {
  let log: FollowedLog | null = null;
  for (const [first, count] of [
    [10, 3],
    [10, 3],
    [11, 4],
    [15, 2],
  ] as const) {
    log = addLines(log, newest(first, count));
  }
  expect(log).toEqual({ run: 'a', next: 17, lines: linesOf(10, 7) });
});

test('where lines are missing, and where the process has started again, there is a gap', () => {
  const before = addLines(null, newest(0, 2));
  expect(addLines(before, newest(5, 1)).lines).toEqual(['line 0', 'line 1', '…', 'line 5']);
  expect(addLines(before, newest(0, 1, 'b'))).toEqual({
    run: 'b',
    next: 1,
    lines: ['line 0', 'line 1', '…', 'line 0'],
  });
  expect(addLines(before, { run: 'a', first: 2, lines: [] })).toEqual(before);
});

test('the oldest lines are dropped', () => {
  const many = addLines(null, newest(0, 1_900));
  const more = addLines(many, newest(1_900, 200));
  expect(more.lines).toHaveLength(2_000);
  expect(more.lines.at(-1)).toBe('line 2099');
});
