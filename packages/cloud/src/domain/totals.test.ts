import { LIMITS } from '@placard/protocol';
import { expect, test } from 'vitest';
import { overLimit } from './totals.ts';

const FULL = {
  schedules: LIMITS.schedules,
  rules: LIMITS.rules,
  playlists: LIMITS.playlists,
  items: LIMITS.items,
  folders: LIMITS.folders,
  stores: LIMITS.stores,
};

test('as much as the limits say is accepted', () => {
  expect(overLimit(FULL, 'rules')).toEqual([]);
});

test.each(['schedules', 'rules', 'playlists', 'items', 'folders', 'stores'] as const)(
  'one of the %s more is refused',
  (kind) => {
    const problems = overLimit({ ...FULL, [kind]: LIMITS[kind] + 1 }, 'rules');
    expect(problems).toEqual([
      {
        path: 'rules',
        message: `would make ${LIMITS[kind] + 1} ${kind} in the organization; it can have ${LIMITS[kind]}. Remove some first`,
      },
    ]);
  },
);
