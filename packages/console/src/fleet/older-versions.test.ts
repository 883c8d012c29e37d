import { expect, test } from 'vitest';
import { olderVersions } from './older-versions.ts';

const count = (player_version: string, devices: number) => ({ player_version, devices });

test('versions below the newest are shown, those of the most devices first, three at most', () => {
  const counts = [
    count('1.10.0', 5),
    count('1.9.0', 2),
    count('1.2.0', 7),
    count('0.9.0', 1),
    count('1.9.1', 3),
  ];
  expect(olderVersions(counts)).toEqual([
    { ...count('1.2.0', 7), newest: '1.10.0' },
    { ...count('1.9.1', 3), newest: '1.10.0' },
    { ...count('1.9.0', 2), newest: '1.10.0' },
  ]);
  expect(olderVersions([count('1.0.0', 9)])).toEqual([]);
  expect(olderVersions([])).toEqual([]);
});
