import { expect, test } from 'vitest';
import { endOfObserved, overlapOf, startOfObserved } from './observed-time.ts';

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

test('the end of a time that begins at an instant leaves out what is between spans', () => {
  const spans = [
    { started_at: 100, ended_at: 200 },
    { started_at: 50, ended_at: 60 },
    { started_at: 0, ended_at: 20 },
  ];
  expect(endOfObserved(spans, 5, 10)).toBe(15);
  // 15 until 20, then 10 until 60, then 5.
  expect(endOfObserved(spans, 5, 30)).toBe(105);
  expect(endOfObserved(spans, 30, 10), 'all that begins before the next span ends').toBe(100);
  expect(endOfObserved(spans, 150, 1000)).toBe(200);
  const overlapping = [
    { started_at: 15, ended_at: 40 },
    { started_at: 0, ended_at: 20 },
  ];
  expect(endOfObserved(overlapping, 0, 30)).toBe(30);
});

test('what two lists of spans share is as long as both', () => {
  const spans = [span(180, 200), span(100, 150), span(0, 60)];
  expect([...overlapOf(spans, [span(140, 300), span(50, 110), span(10, 20)])]).toEqual([
    span(180, 200),
    span(140, 150),
    span(100, 110),
    span(50, 60),
    span(10, 20),
  ]);
  expect([...overlapOf(spans, [span(200, 300)])], 'it has just begun').toEqual([span(200, 200)]);
  expect([...overlapOf(spans, [span(160, 170)])]).toEqual([]);
});
