import { MAX_DRY_RUN_GROUPS, MAX_LISTED_CHANGES, MAX_LISTED_DEVICES } from '@placard/protocol/api';
import type { TimelineSegment } from '@placard/schedule';
import { expect, test } from 'vitest';
import { addChange, createChangeGroups, emptyChanges } from './change-groups.ts';
import type { ClassChanges } from './change-groups.ts';

const segment = (playlistId: string | null): TimelineSegment => ({
  fromMs: 0,
  untilMs: 100,
  source: playlistId === null ? 'none' : 'deployment',
  schedule: null,
  rule: null,
  playlist_id: playlistId,
});
const changesAt = (...starts: number[]): ClassChanges => {
  const changes = emptyChanges();
  for (const fromMs of starts) {
    const [before, after] = [segment(null), segment('pl_1')];
    addChange(changes, { fromMs, untilMs: fromMs + 1, kind: 'playlist_changes', before, after });
  }
  return changes;
};
const devices = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${prefix}_${String(index).padStart(5, '0')}`,
    name: `${index}`,
  }));

test('classes with the same changes are one group, all devices are counted, the first are listed', () => {
  const groups = createChangeGroups();
  groups.add(devices('b', 400), changesAt(5, 7));
  groups.add(devices('a', 30), changesAt(5, 7));
  groups.add(devices('c', 10), changesAt(3));
  groups.add(devices('d', 500), emptyChanges());
  const { counts, firstChangeMs, groupCount, groups: listed } = groups.summary();
  expect(counts).toEqual({ devices: 440, playlist_changes: 440, content_changes: 0 });
  expect([firstChangeMs, groupCount]).toEqual([3, 2]);
  expect(listed.map(({ deviceCount, changeCount }) => [deviceCount, changeCount])).toEqual([
    [10, 1],
    [430, 2],
  ]);
  const ids = listed[1]?.devices.map(({ id }) => id) ?? [];
  expect([ids.length, ids[0], ids[30]]).toEqual([MAX_LISTED_DEVICES, 'a_00000', 'b_00000']);
});

test('many changes and many groups are counted, and the first are listed', () => {
  const groups = createChangeGroups();
  const many = Array.from({ length: 500 }, (_, index) => index * 2);
  groups.add(devices('all', 2), changesAt(...many));
  for (let index = 0; index < 100; index++) {
    groups.add(devices(`one_${index}`, 1), changesAt(index, 5000));
  }
  const { groupCount, groups: listed, counts } = groups.summary();
  expect([groupCount, listed.length, counts.devices]).toEqual([101, MAX_DRY_RUN_GROUPS, 102]);
  expect(listed[0]).toMatchObject({ deviceCount: 2, changeCount: 500 });
  expect(listed[0]?.changes).toHaveLength(MAX_LISTED_CHANGES);
});
