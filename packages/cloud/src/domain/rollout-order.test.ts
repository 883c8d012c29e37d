import { expect, test } from 'vitest';
import { orderDevices, ringEnds } from './rollout-order.ts';

const fleetOf = (sizes: Record<string, number>, isOnline = true) =>
  Object.entries(sizes).flatMap(([kind, size]) =>
    Array.from({ length: size }, (_each, index) => ({ id: `${kind}-${index}`, kind, isOnline })),
  );
const countKinds = (devices: readonly { kind: string }[]) =>
  Object.fromEntries([...Map.groupBy(devices, ({ kind }) => kind)].map(([kind, own]) => [kind, own.length]));

test('each beginning has a share of each kind, and rare kinds have a device in the first ring', () => {
  const order = orderDevices('rollout_1', fleetOf({ pi4: 1500, pi5: 400, nuc: 95, odd: 5 }));
  const [first = 0, second = 0] = ringEnds([1, 10, 100], 2000);
  expect(first).toBe(20);
  expect(countKinds(order.slice(0, first))).toEqual({ pi4: 14, pi5: 4, nuc: 1, odd: 1 });
  const { pi4 = 0, pi5 = 0 } = countKinds(order.slice(0, second));
  expect([Math.round(pi4 / 10), Math.round(pi5 / 10)]).toEqual([15, 4]);
});

test('the order depends on the rollout, not on the order in which devices were read', () => {
  const fleet = fleetOf({ pi4: 50 });
  const order = orderDevices('rollout_1', fleet);
  expect(orderDevices('rollout_1', fleet.toReversed())).toEqual(order);
  expect(orderDevices('rollout_2', fleet)).not.toEqual(order);
});

test('devices that are online go first', () => {
  const order = orderDevices('rollout_1', [
    ...fleetOf({ off: 10 }, false).map((each) => ({ ...each, kind: 'pi4' })),
    ...fleetOf({ pi4: 10 }),
  ]);
  expect(order.slice(0, 10).every(({ isOnline }) => isOnline)).toBe(true);
  expect(order.slice(10).some(({ isOnline }) => isOnline)).toBe(false);
});

test('a ring is at most its share of the fleet, but one device at least', () => {
  expect(ringEnds([1, 10, 100], 1999)).toEqual([19, 199, 1999]);
  expect(ringEnds([1, 10, 100], 30)).toEqual([1, 3, 30]);
  expect(ringEnds([1, 10, 100], 2)).toEqual([1, 2, 2]);
  expect(ringEnds([1, 10, 100], 0)).toEqual([0, 0, 0]);
});
