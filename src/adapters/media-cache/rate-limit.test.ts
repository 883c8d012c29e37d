import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createRateLimit } from './rate-limit.ts';

const signal = new AbortController().signal;

test('two downloads together stay within the limit', async () => {
  const clock = createManualClock();
  const began = clock.monoMs();
  const rateLimit = createRateLimit(1_000_000, clock);
  const ends: number[] = [];
  const take = async () => {
    for (let i = 0; i < 5; i++) {
      await rateLimit(100_000, signal);
    }
    ends.push(clock.monoMs() - began);
  };
  const both = Promise.all([take(), take()]);
  await clock.advance(2_000);
  await both;
  expect(ends).toEqual([900, 1_000]);
});

test('does not wait without a limit', async () => {
  const clock = createManualClock();
  expect(await createRateLimit(null, clock)(1e12, signal)).toBe(undefined);
  expect(clock.sleeperCount).toBe(0);
});

test('an abort ends the wait', async () => {
  const clock = createManualClock();
  const stop = new AbortController();
  const waiting = createRateLimit(1, clock)(1_000, stop.signal);
  stop.abort();
  expect(await waiting).toBe(undefined);
});
