import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createWakeup } from './wakeup.ts';

test('a wakeup while nobody waits ends the next wait, once', async () => {
  const clock = createManualClock();
  const wakeup = createWakeup(clock);
  const { signal } = new AbortController();
  wakeup.wake();
  wakeup.wake();
  await wakeup.wait(1_000_000, signal);
  let woken = false;
  const waiting = wakeup.wait(1_000, signal).then(() => (woken = true));
  await clock.advance(999);
  expect(woken).toBe(false);
  await clock.advance(1);
  await waiting;
  expect(clock.sleeperCount).toBe(0);
});
