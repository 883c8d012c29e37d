import { LIMITS } from '@placard/protocol';
import { expect, test } from 'vitest';
import { overLimit } from './totals.ts';

const { schedules, rules, targets, deployedTargets, playlists, items, folders, stores } = LIMITS;
const FULL = { schedules, rules, targets, deployedTargets, playlists, items, folders, stores };

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
