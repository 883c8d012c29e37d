import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createPace } from './pace.ts';

const signal = new AbortController().signal;

test('two that share the line take no more than it gives', async () => {
  const clock = createManualClock();
  const began = clock.mono();
  const pace = createPace(1_000_000, clock);
  const ends: number[] = [];
  const take = async () => {
    for (let i = 0; i < 5; i++) await pace(100_000, signal);
    ends.push(clock.mono() - began);
  };
  const both = Promise.all([take(), take()]);
  await clock.advance(2_000);
  await both;
  expect(ends).toEqual([900, 1_000]);
});

test('without a limit nobody waits', async () => {
  const clock = createManualClock();
  expect(await createPace(null, clock)(1e12, signal)).toBe(undefined);
  expect(clock.sleepers).toBe(0);
});

test('a stop ends the wait', async () => {
  const clock = createManualClock();
  const stop = new AbortController();
  const waiting = createPace(1, clock)(1_000, stop.signal);
  stop.abort();
  expect(await waiting).toBe(undefined);
});
