import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { createManifestPushQueue } from './manifest-push-queue.ts';

function setUp() {
  const clock = createManualClock();
  const sent: string[] = [];
  const queue = createManifestPushQueue({
    clock,
    send: (deviceId, revision) => void sent.push(`${deviceId} ${revision}`),
  });
  return { clock, sent, queue };
}

test('a change for one device is pushed at once, one for hundreds in batches within 250 ms', async () => {
  const { clock, sent, queue } = setUp();
  queue.add('one', '1');
  await Promise.resolve();
  expect(sent).toEqual(['one 1']);

  sent.length = 0;
  for (let n = 0; n < 500; n++) {
    queue.add(`dev_${n}`, '2');
  }
  await Promise.resolve();
  expect(sent).toHaveLength(20);
  clock.advance(10);
  expect(sent).toHaveLength(40);
  clock.advance(230);
  expect(sent).toEqual(Array.from({ length: 500 }, (_, n) => `dev_${n} 2`));

  queue.add('one', '3');
  await Promise.resolve();
  expect(sent.at(-1)).toBe('one 3');
});

test('a queued device gets only the latest of several revisions', async () => {
  const { clock, sent, queue } = setUp();
  for (let n = 0; n < 10; n++) {
    queue.add(`dev_${n}`, '1');
  }
  await Promise.resolve();
  expect(sent).toHaveLength(4);
  queue.add('dev_9', '2');
  queue.add('dev_0', '2');
  clock.advance(100);
  expect(sent.filter((each) => /dev_[09] /.test(each))).toEqual(['dev_0 1', 'dev_9 2', 'dev_0 2']);
});

test('nothing is pushed after stop', async () => {
  const { clock, sent, queue } = setUp();
  for (let n = 0; n < 10; n++) {
    queue.add(`dev_${n}`, '1');
  }
  await Promise.resolve();
  queue.stop();
  clock.advance(1_000);
  expect(sent).toHaveLength(4);
});
