import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCommitPace } from './commit-pace.ts';

/** Turns of the event loop until it is resolved. */
async function turnsUntil(promise: Promise<void>): Promise<number> {
  const seen = { turns: 0, isResolved: false };
  void promise.then(() => (seen.isResolved = true));
  while (!seen.isResolved) {
    await setImmediate();
    seen.turns += 1;
  }
  return seen.turns;
}

test('the first batch, a full one, and one long after the one before begin in the next turn, others later', async () => {
  const untilNextBatch = createCommitPace(5);
  expect(await turnsUntil(untilNextBatch(false))).toBe(1);
  const startMs = performance.now();
  expect(await turnsUntil(untilNextBatch(true))).toBe(1);
  await untilNextBatch(false);
  // Of 5 ms: timers count whole milliseconds.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(3);

  const laterMs = performance.now() + 1000;
  const now = vi.spyOn(performance, 'now').mockReturnValue(laterMs);
  onTestFinished(() => now.mockRestore());
  expect(await turnsUntil(untilNextBatch(false))).toBe(1);
});
