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
