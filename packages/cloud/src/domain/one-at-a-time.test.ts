import { expect, test } from 'vitest';
import { createOneAtATime } from './one-at-a-time.ts';

test('work waits for the one before, also for one that failed, and too much of it is turned away', async () => {
  const queue = createOneAtATime(2);
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
