import { expect, test } from 'vitest';
import { cloudVital, isHealthy } from './health.ts';

const well = { pictureShown: true, storeOpen: true, cloud: 'reached' } as const;

test('a player is healthy with a picture, its store and its cloud', () => {
  expect(isHealthy(well)).toBe(true);
});

test('a network that is down does not make a version bad', () => {
  expect(isHealthy({ ...well, cloud: 'network_down' })).toBe(true);
});

test.each([
  { ...well, pictureShown: false },
  { ...well, storeOpen: false },
  { ...well, cloud: 'not_tried' as const },
  { ...well, cloud: 'refused' as const },
])('a player is not healthy with %j', (vitals) => {
  expect(isHealthy(vitals)).toBe(false);
});

test.each([
  ['online', [], 'reached'],
  ['offline', ['cloud.busy'], 'reached'],
  ['offline', ['cloud.unreachable', 'disk.full'], 'network_down'],
  ['offline', ['cloud.not_placard'], 'refused'],
  ['offline', ['cloud.tls'], 'refused'],
  ['connecting', ['asset.gone'], 'not_tried'],
] as const)('a connection that is %s with %j counts as %s', (connection, faults, vital) => {
  expect(cloudVital(connection, faults)).toBe(vital);
});
