import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { createManifestPushes } from './manifest-pushes.ts';

function setUp() {
  const clock = createManualClock();
  const told: string[] = [];
  const pushes = createManifestPushes({
    clock,
    send: (deviceId, revision) => void told.push(`${deviceId} ${revision}`),
  });
  return { clock, told, pushes };
}

test('a change of one device is told at once, one of hundreds bit by bit, to all within a quarter of a second', async () => {
  const { clock, told, pushes } = setUp();
  pushes.add('one', '1');
  await Promise.resolve();
  expect(told).toEqual(['one 1']);

  told.length = 0;
  for (let n = 0; n < 500; n++) pushes.add(`dev_${n}`, '2');
  await Promise.resolve();
  expect(told).toHaveLength(20);
  clock.advance(10);
  expect(told).toHaveLength(40);
  clock.advance(230);
  expect(told).toEqual(Array.from({ length: 500 }, (_, n) => `dev_${n} 2`));

  pushes.add('one', '3');
  await Promise.resolve();
  expect(told.at(-1)).toBe('one 3');
});

test('of two changes a waiting device is told the later one', async () => {
  const { clock, told, pushes } = setUp();
  for (let n = 0; n < 10; n++) pushes.add(`dev_${n}`, '1');
  await Promise.resolve();
  expect(told).toHaveLength(4);
  pushes.add('dev_9', '2');
  pushes.add('dev_0', '2');
  clock.advance(100);
  expect(told.filter((each) => /dev_[09] /.test(each))).toEqual(['dev_0 1', 'dev_9 2', 'dev_0 2']);
});

test('after a stop nobody is told anything', async () => {
  const { clock, told, pushes } = setUp();
  for (let n = 0; n < 10; n++) pushes.add(`dev_${n}`, '1');
  await Promise.resolve();
  pushes.stop();
  clock.advance(1_000);
  expect(told).toHaveLength(4);
});
