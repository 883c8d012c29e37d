import { expect, test } from 'vitest';
import { createSerialQueue } from './serial-queue.ts';

test('tasks run one after another, also after a failed one, and are rejected when too many wait', async () => {
  const queue = createSerialQueue({ maxWaiting: 2, yieldToEventLoop: async () => {} });
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

test('the queue yields to the event loop between two tasks', async () => {
  const log: string[] = [];
  let goOn = Promise.withResolvers<void>();
  const queue = createSerialQueue({
    maxWaiting: 5,
    yieldToEventLoop() {
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
