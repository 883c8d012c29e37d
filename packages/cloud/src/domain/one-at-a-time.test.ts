import { expect, test } from 'vitest';
import { createOneAtATime } from './one-at-a-time.ts';

test('work waits for the one before, also for one that failed, and too much of it is turned away', async () => {
  const queue = createOneAtATime({ mostWaiting: 2, pause: async () => {} });
  const log: string[] = [];
  const first = queue.run(async () => {
    await Promise.resolve();
    log.push('first');
    throw new Error('broken');
  });
  const second = queue.run(async () => log.push('second'));
  expect(queue.run(async () => log.push('third'))).toBeNull();
  await expect(first).rejects.toThrow('broken');
  await second;
  expect(log).toEqual(['first', 'second']);
  await queue.run(async () => log.push('fourth'));
  expect(log).toHaveLength(3);
});

test('others have their turn between two pieces of work', async () => {
  const log: string[] = [];
  let goOn = Promise.withResolvers<void>();
  const queue = createOneAtATime({
    mostWaiting: 5,
    pause() {
      log.push('pause');
      return goOn.promise;
    },
  });
  const first = queue.run(async () => log.push('first'));
  const second = queue.run(async () => log.push('second'));
  await first;
  await new Promise(setImmediate);
  expect(log).toEqual(['first', 'pause']);
  goOn.resolve();
  goOn = Promise.withResolvers();
  await second;
  expect(log.slice(0, 3)).toEqual(['first', 'pause', 'second']);
});
