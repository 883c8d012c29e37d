import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDebuggingPipe } from './debugging-pipe.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Asks a browser that never answers; tells what has come of it. */
function ask(waitMs?: number): () => string {
  const pipe = createDebuggingPipe(new PassThrough(), new PassThrough());
  if (waitMs !== undefined) pipe.waitForAnswers(waitMs);
  let outcome = 'waiting';
  pipe.send('Target.getTargets').catch((error: Error) => (outcome = error.message));
  return () => outcome;
}

it.each([
  [undefined, 20_000],
  [3_000, 20_000],
  [120_000, 120_000],
])('told to wait %s ms for answers it gives up after %d ms', async (wanted, waits) => {
  const outcome = ask(wanted);
  await vi.advanceTimersByTimeAsync(waits - 1);
  expect(outcome()).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome()).toBe('the browser did not answer Target.getTargets');
});
