import { expect, test } from 'vitest';
import type { CloudEvent } from '../domain/events.ts';
import { createEventBus } from './event-bus.ts';

const manifestChanged = (number: number): CloudEvent => ({
  type: 'manifest_changed',
  deviceId: `dev_${number}`,
  revision: 'r',
});

test('a few events are delivered synchronously', () => {
  const bus = createEventBus();
  const seen: CloudEvent[] = [];
  bus.subscribe((event) => seen.push(event));
  bus.publish([manifestChanged(1), manifestChanged(2)]);
  expect(seen).toEqual([manifestChanged(1), manifestChanged(2)]);
});

test('many events are delivered in order over several turns of the event loop', async () => {
  const bus = createEventBus();
  const seen: CloudEvent[] = [];
  bus.subscribe((event) => seen.push(event));
  const all = Array.from({ length: 1200 }, (_, i) => manifestChanged(i));
  bus.publish(all);
  expect(seen.length).toBeLessThan(1200);
  bus.publish([manifestChanged(9999)]);
  while (seen.length < 1201) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen).toEqual([...all, manifestChanged(9999)]);
});
