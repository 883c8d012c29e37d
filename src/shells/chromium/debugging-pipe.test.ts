import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDebuggingPipe } from './debugging-pipe.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends a command to a browser that never answers; returns a function that reads the outcome. */
function sendToSilentBrowser(waitMs?: number): () => string {
  const pipe = createDebuggingPipe(new PassThrough(), new PassThrough());
  if (waitMs !== undefined) {
    pipe.setResponseTimeout(waitMs);
  }
  let outcome = 'waiting';
  pipe.send('Target.getTargets').catch((error: Error) => (outcome = error.message));
  return () => outcome;
}

test.each([
  [undefined, 20_000],
  [3_000, 20_000],
  [120_000, 120_000],
])('with a response timeout of %s ms it gives up after %d ms', async (wanted, waits) => {
  const outcome = sendToSilentBrowser(wanted);
  await vi.advanceTimersByTimeAsync(waits - 1);
  expect(outcome()).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome()).toBe('the browser did not answer Target.getTargets');
});
