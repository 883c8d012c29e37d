import { expect, test } from 'vitest';
import { startOfObserved } from './observed-time.ts';

const span = (started_at: number, ended_at: number) => ({ started_at, ended_at });

test('the time between spans does not count', () => {
  const spans = [span(1000, 1010), span(500, 520), span(0, 100)];
  expect([0, 4, 10, 11, 30, 31, 130, 131].map((duration) => startOfObserved(spans, duration))).toEqual([
    1010,
    1006,
    1000,
    519,
    500,
    99,
    0,
    null,
  ]);
});

test('time that two spans share counts once', () => {
  const spans = [span(100, 200), span(0, 150)];
  expect([startOfObserved(spans, 100), startOfObserved(spans, 110), startOfObserved(spans, 201)]).toEqual([
    100,
    90,
    null,
  ]);
  expect(startOfObserved([span(100, 200), span(110, 120), span(0, 50)], 110)).toBe(40);
});
