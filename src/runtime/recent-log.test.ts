import { expect, test } from 'vitest';
import { createRecentLog } from './recent-log.ts';

test('the newest lines are kept complete and in order', () => {
  const log = createRecentLog(100);
  for (let i = 0; i < 1_000; i++) {
    log.append(`line ${i}\n`);
  }
  const lines = log.read().trimEnd().split('\n');
  expect(lines.at(-1)).toBe('line 999');
  expect(lines.length).toBeGreaterThan(4);
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, i) => `line ${1_000 - lines.length + i}`));
  expect(log.read().length).toBeLessThanOrEqual(100);
});

test('a line longer than the limit is dropped', () => {
  const log = createRecentLog(10);
  log.append('x'.repeat(50));
  log.append('y');
  expect(log.read()).toBe('y');
});

test('the newest lines have numbers that go on when the oldest are dropped', () => {
  const log = createRecentLog(200, 'run 1');
  expect(log.newest({ maxChars: 100, maxLines: 10 })).toEqual({ run: 'run 1', first: 0, lines: [] });
  for (let i = 0; i < 100; i++) {
    log.append(`line ${i}\n`);
  }
  // Eight characters each.
  expect(log.newest({ maxChars: 25, maxLines: 10 })).toEqual({
    run: 'run 1',
    first: 97,
    lines: ['line 97', 'line 98', 'line 99'],
  });
  expect(log.newest({ maxChars: 100, maxLines: 2 })).toEqual({
    run: 'run 1',
    first: 98,
    lines: ['line 98', 'line 99'],
  });
  log.append(`${'x'.repeat(50)}\n`);
  expect(log.newest({ maxChars: 30, maxLines: 2 }), 'a line that is too long is left out').toEqual({
    run: 'run 1',
    first: 101,
    lines: [],
  });
});
