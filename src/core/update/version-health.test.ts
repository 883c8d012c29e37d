import { expect, test } from 'vitest';
import { cloudReachability, isHealthy } from './version-health.ts';

const healthy = { hasShownPicture: true, isDatabaseOpen: true, cloud: 'reached' } as const;

test('a player is healthy with a picture, an open database and its cloud', () => {
  expect(isHealthy(healthy)).toBe(true);
});

test('a network that is down does not make a version unhealthy', () => {
  expect(isHealthy({ ...healthy, cloud: 'network_down' })).toBe(true);
});

test.each([
  { ...healthy, hasShownPicture: false },
  { ...healthy, isDatabaseOpen: false },
  { ...healthy, cloud: 'not_tried' as const },
  { ...healthy, cloud: 'refused' as const },
])('a player is not healthy with %j', (signals) => {
  expect(isHealthy(signals)).toBe(false);
});

test.each([
  ['online', [], 'reached'],
  ['offline', ['cloud.busy'], 'reached'],
  ['offline', ['cloud.unreachable', 'disk.full'], 'network_down'],
  ['offline', ['cloud.not_placard'], 'refused'],
  ['offline', ['cloud.tls'], 'refused'],
  ['connecting', ['asset.gone'], 'not_tried'],
] as const)('a connection that is %s with %j counts as %s', (connection, faults, reachability) => {
  expect(cloudReachability(connection, faults)).toBe(reachability);
});
