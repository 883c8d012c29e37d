import { LIMITS } from '@placard/protocol';
import { expect, test } from 'vitest';
import { overLimit } from './totals.ts';
import type { Totals } from './totals.ts';

const FULL: Totals = LIMITS;

test('as much as the limits say is accepted', () => {
  expect(overLimit(FULL, 'rules')).toEqual([]);
});

test.each([
  ['schedules', 'schedules'],
  ['rules', 'rules'],
  ['targets', 'targets of schedules'],
  ['deployedTargets', 'targets that hold a deployed playlist'],
  ['playlists', 'playlists'],
  ['items', 'items'],
  ['assets', 'assets'],
  ['devices', 'devices'],
  ['deviceTags', 'tags of devices'],
  ['folders', 'folders'],
  ['stores', 'stores'],
] as const)('one of the %s more is refused', (kind, name) => {
  expect(overLimit({ ...FULL, [kind]: LIMITS[kind] + 1 }, 'rules')).toEqual([
    {
      path: 'rules',
      message: `would make ${LIMITS[kind] + 1} ${name} in the organization; it can have ${LIMITS[kind]}. Remove some first`,
    },
  ]);
});
