import { LIMITS } from '@placard/protocol';
import { expect, test } from 'vitest';
import { findLimitProblems } from './resource-limits.ts';
import type { ResourceCounts } from './resource-limits.ts';

const FULL: ResourceCounts = LIMITS;

test('counts equal to the limits are accepted', () => {
  expect(findLimitProblems(FULL, 'rules')).toEqual([]);
});

test.each([
  ['schedules', 'schedules'],
  ['rules', 'rules'],
  ['targets', 'schedule targets'],
  ['deployedTargets', 'targets with a deployed playlist'],
  ['playlists', 'playlists'],
  ['items', 'items'],
  ['assets', 'assets'],
  ['devices', 'devices'],
  ['deviceTags', 'device tags'],
  ['folders', 'folders'],
  ['stores', 'stores'],
] as const)('one more of %s than the limit is refused', (kind, name) => {
  expect(findLimitProblems({ ...FULL, [kind]: LIMITS[kind] + 1 }, 'rules')).toEqual([
    {
      path: 'rules',
      message: `would make ${LIMITS[kind] + 1} ${name} in the organization; the limit is ${LIMITS[kind]}. Remove some first`,
    },
  ]);
});
