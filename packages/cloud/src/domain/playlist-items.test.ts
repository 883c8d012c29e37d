import { expect, test } from 'vitest';
import { itemDuration, matchItems } from './playlist-items.ts';

const held = (id: string, content_id: string) => ({ id, content_id, duration: 10, weight: null });
const match = (before: ReturnType<typeof held>[], sent: { id?: string; content_id: string }[]) => {
  let made = 0;
  return matchItems(
    before,
    sent,
    () => 'image',
    () => `new_${++made}`,
  ).map(({ id }) => id);
};

test('an item keeps its id by its id, else by its content, and no id is given twice', () => {
  const before = [held('i1', 'a'), held('i2', 'b'), held('i3', 'a')];
  expect(match(before, [{ content_id: 'a' }, { content_id: 'b' }, { content_id: 'a' }])).toEqual([
    'i1',
    'i2',
    'i3',
  ]);
  expect(match(before, [{ content_id: 'b' }, { content_id: 'c' }])).toEqual(['i2', 'new_1']);
  expect(match(before, [{ content_id: 'a' }, { id: 'i1', content_id: 'z' }])).toEqual(['i3', 'i1']);
  expect(
    match(before, [
      { id: 'i1', content_id: 'a' },
      { id: 'i1', content_id: 'a' },
    ]),
  ).toEqual(['i1', 'i3']);
  expect(match([], [{ id: 'foreign', content_id: 'a' }])).toEqual(['new_1']);
});

test('an image shows ten seconds when nothing is said, a video its own length', () => {
  expect(itemDuration(undefined, 'image')).toBe(10);
  expect(itemDuration(null, 'video')).toBeNull();
  expect(itemDuration(7, 'video')).toBe(7);
});

test('very many items that have nothing in common with those before take no time', () => {
  const before = Array.from({ length: 10_000 }, (_, index) => held(`i${index}`, `a${index}`));
  const sent = before.map((_, index) => ({ content_id: `b${index}` }));
  const started = process.threadCpuUsage();
  expect(match(before, sent)).toHaveLength(10_000);
  const { user, system } = process.threadCpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(300);
});
