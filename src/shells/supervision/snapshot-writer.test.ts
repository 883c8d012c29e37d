import { expect, test } from 'vitest';
import { writeSnapshots } from './snapshot-writer.ts';

test('ends although a requested screenshot never comes', async () => {
  const ending = new AbortController();
  const captureRequested = Promise.withResolvers<void>();
  const writing = writeSnapshots({
    path: '/nowhere/screen.png',
    capture() {
      captureRequested.resolve();
      return new Promise(() => {});
    },
    onError() {},
    signal: ending.signal,
  });
  await captureRequested.promise;
  ending.abort();
  await writing;
  expect(ending.signal.aborted).toBe(true);
});
