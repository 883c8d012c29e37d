import { expect, test } from 'vitest';
import type { CloudEvent } from '../domain/events.ts';
import { createBus } from './bus.ts';

const changed = (number: number): CloudEvent => ({
  type: 'manifest_changed',
  deviceId: `dev_${number}`,
  revision: 'r',
});

test('a few events arrive at once', () => {
  const bus = createBus();
  const seen: CloudEvent[] = [];
  bus.subscribe((event) => seen.push(event));
  bus.publish([changed(1), changed(2)]);
  expect(seen).toEqual([changed(1), changed(2)]);
});

test('many events let others have a turn, and all arrive in order', async () => {
  const bus = createBus();
  const seen: CloudEvent[] = [];
  bus.subscribe((event) => seen.push(event));
  const all = Array.from({ length: 1200 }, (_, i) => changed(i));
  bus.publish(all);
  expect(seen.length).toBeLessThan(1200);
  bus.publish([changed(9999)]);
  while (seen.length < 1201) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual([...all, changed(9999)]);
});
