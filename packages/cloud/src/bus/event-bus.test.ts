import { expect, test } from 'vitest';
import type { CloudEvent } from '../domain/events.ts';
import { createEventBus } from './event-bus.ts';

const manifestsChanged = (number: number): CloudEvent => ({
  type: 'manifests_changed',
  deviceIds: [`dev_${number}`],
});

test('a few events are delivered synchronously', () => {
  const bus = createEventBus();
  const seen: CloudEvent[] = [];
  bus.subscribe((event) => seen.push(event));
  bus.publish([manifestsChanged(1), manifestsChanged(2)]);
  expect(seen).toEqual([manifestsChanged(1), manifestsChanged(2)]);
});

test('many events are delivered in order over several turns of the event loop', async () => {
  const bus = createEventBus();
  const seen: CloudEvent[] = [];
  bus.subscribe((event) => seen.push(event));
  const all = Array.from({ length: 1200 }, (_, i) => manifestsChanged(i));
  bus.publish(all);
  expect(seen.length).toBeLessThan(1200);
  bus.publish([manifestsChanged(9999)]);
  while (seen.length < 1201) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen).toEqual([...all, manifestsChanged(9999)]);
});
