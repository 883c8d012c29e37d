import { expect, test } from 'vitest';
import { resolveItemDuration, assignItemIds } from './playlist-items.ts';

const existing = (id: string, content_id: string) => ({ id, content_id, duration: 10, weight: null });
const assignedIds = (before: ReturnType<typeof existing>[], sent: { id?: string; content_id: string }[]) => {
  let made = 0;
  return assignItemIds(
    before,
    sent,
    () => 'image',
    () => `new_${++made}`,
  ).map(({ id }) => id);
};

test('an item is matched by id, then by content, and no id is assigned twice', () => {
  const before = [existing('i1', 'a'), existing('i2', 'b'), existing('i3', 'a')];
  expect(assignedIds(before, [{ content_id: 'a' }, { content_id: 'b' }, { content_id: 'a' }])).toEqual([
    'i1',
    'i2',
    'i3',
  ]);
  expect(assignedIds(before, [{ content_id: 'b' }, { content_id: 'c' }])).toEqual(['i2', 'new_1']);
  expect(assignedIds(before, [{ content_id: 'a' }, { id: 'i1', content_id: 'z' }])).toEqual(['i3', 'i1']);
  expect(
    assignedIds(before, [
      { id: 'i1', content_id: 'a' },
      { id: 'i1', content_id: 'a' },
    ]),
  ).toEqual(['i1', 'i3']);
  expect(assignedIds([], [{ id: 'foreign', content_id: 'a' }])).toEqual(['new_1']);
});

test('the default duration is ten seconds for an image and the natural length for a video', () => {
  expect(resolveItemDuration(undefined, 'image')).toBe(10);
  expect(resolveItemDuration(null, 'video')).toBeNull();
  expect(resolveItemDuration(7, 'video')).toBe(7);
});

test('replacing 10,000 items by entirely different ones is fast', () => {
  const before = Array.from({ length: 10_000 }, (_, index) => existing(`i${index}`, `a${index}`));
  const sent = before.map((_, index) => ({ content_id: `b${index}` }));
  const started = process.threadCpuUsage();
  expect(assignedIds(before, sent)).toHaveLength(10_000);
  const { user, system } = process.threadCpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(300);
});
