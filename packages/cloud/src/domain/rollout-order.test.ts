import { expect, test } from 'vitest';
import { orderDevices, ringEnds } from './rollout-order.ts';

const fleetOf = (sizes: Record<string, number>, isOnline = true) =>
  Object.entries(sizes).flatMap(([kind, size]) =>
    Array.from({ length: size }, (_each, index) => ({ id: `${kind}-${index}`, kind, isOnline })),
  );
const countKinds = (devices: readonly { kind: string }[]) =>
  Object.fromEntries([...Map.groupBy(devices, ({ kind }) => kind)].map(([kind, own]) => [kind, own.length]));

const IDS = Array.from({ length: 20 }, (_each, index) => `rollout_${index}`);

test.each(IDS)('%s: each beginning has a share of each kind, also of small ones', (id) => {
  const [first = 0, second = 0] = ringEnds([1, 10, 100], 2000);
  expect(first).toBe(20);
  const order = orderDevices(id, fleetOf({ pi4: 1500, pi5: 385, nuc: 95, vm: 20 }), first);
  const ofFirst = countKinds(order.slice(0, first));
  expect(Object.keys(ofFirst).toSorted()).toEqual(['nuc', 'pi4', 'pi5', 'vm']);
  expect(ofFirst['pi4']).toBeGreaterThanOrEqual(12);
  expect(ofFirst['pi5']).toBeGreaterThanOrEqual(3);
  const { pi4 = 0, pi5 = 0 } = countKinds(order.slice(0, second));
  expect([Math.round(pi4 / 10), Math.round(pi5 / 10)]).toEqual([15, 4]);
});

test('many kinds leave most of the first ring to the one that most screens have', () => {
  const models = Object.fromEntries(Array.from({ length: 12 }, (_each, index) => [`pc ${index}`, 25]));
  const [first = 0] = ringEnds([1, 10, 100], 1000);
  const fleet = fleetOf({ pi4: 700, ...models });
  const counts = IDS.map((id) => countKinds(orderDevices(id, fleet, first).slice(0, first))['pi4'] ?? 0);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
  expect(counts.reduce((total, count) => total + count, 0) / IDS.length).toBeGreaterThan(5);
});

test.each(IDS)('%s: single boards have their share together', (id) => {
  const singles = Object.fromEntries(Array.from({ length: 100 }, (_each, index) => [`pc ${index}`, 1]));
  const [first = 0, second = 0] = ringEnds([1, 10, 100], 1000);
  const order = orderDevices(id, fleetOf({ ...singles, pi4: 900 }), first);
  expect(countKinds(order.slice(0, first))['pi4']).toBeGreaterThanOrEqual(8);
  expect(countKinds(order.slice(0, second))['pi4']).toBeGreaterThanOrEqual(89);
});

test('the order depends on the rollout, not on the order in which devices were read', () => {
  const fleet = fleetOf({ pi4: 50 });
  const order = orderDevices('rollout_1', fleet, 5);
  expect(orderDevices('rollout_1', fleet.toReversed(), 5)).toEqual(order);
  expect(orderDevices('rollout_2', fleet, 5)).not.toEqual(order);
});

test('devices that are online go first', () => {
  const order = orderDevices(
    'rollout_1',
    [...fleetOf({ off: 10 }, false).map((each) => ({ ...each, kind: 'pi4' })), ...fleetOf({ pi4: 10 })],
    1,
  );
  expect(order.slice(0, 10).every(({ isOnline }) => isOnline)).toBe(true);
  expect(order.slice(10).some(({ isOnline }) => isOnline)).toBe(false);
});

test('a ring is at most its share of the fleet, but one device at least', () => {
  expect(ringEnds([1, 10, 100], 1999)).toEqual([19, 199, 1999]);
  expect(ringEnds([1, 10, 100], 30)).toEqual([1, 3, 30]);
  expect(ringEnds([1, 10, 100], 2)).toEqual([1, 2, 2]);
  expect(ringEnds([1, 10, 100], 0)).toEqual([0, 0, 0]);
});
