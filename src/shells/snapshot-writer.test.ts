import { expect, it } from 'vitest';
import { writeSnapshots } from './snapshot-writer.ts';

it('ends although the picture that was asked for never comes', async () => {
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const writing = writeSnapshots({
    path: '/nowhere/screen.png',
    capture() {
      asked.resolve();
      return new Promise(() => {});
    },
    onError() {},
    signal: ending.signal,
  });
  await asked.promise;
  ending.abort();
  await writing;
  expect(ending.signal.aborted).toBe(true);
});
