import { expect, test } from 'vitest';
import { createRecentLog } from './recent-log.ts';

test('the newest lines are kept, whole and in order', () => {
  const log = createRecentLog(100);
  for (let i = 0; i < 1_000; i++) log.keep(`line ${i}\n`);
  const kept = log.text().trimEnd().split('\n');
  expect(kept.at(-1)).toBe('line 999');
  expect(kept.length).toBeGreaterThan(4);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => `line ${1_000 - kept.length + i}`));
  expect(log.text().length).toBeLessThanOrEqual(100);
});

test('a line that is longer than everything is not kept', () => {
  const log = createRecentLog(10);
  log.keep('x'.repeat(50));
  log.keep('y');
  expect(log.text()).toBe('y');
});
