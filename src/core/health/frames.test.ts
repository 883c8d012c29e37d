import { expect, test } from 'vitest';
import { countFrames, NO_FRAMES, frameCountOfPage } from './frames.ts';

const page = (id: string) => frameCountOfPage(NO_FRAMES, id);

test('frames add up over the videos of a page, which count from 0 each', () => {
  expect(page('one').total).toBe(null);
  let count = countFrames(page('one'), 25, 1);
  count = countFrames(count, 50, 3);
  expect(count.total).toEqual({ drawn: 47, dropped: 3 });
  // The next video has started.
  count = countFrames(count, 10, 0);
  count = countFrames(count, 35, 2);
  expect(count.total).toEqual({ drawn: 70, dropped: 5 });
});

test('the same page continues its count, a new one starts at zero', () => {
  const count = countFrames(page('one'), 25, 1);
  expect(frameCountOfPage(count, 'one')).toBe(count);
  expect(frameCountOfPage(count, 'two')).toEqual({
    pageId: 'two',
    total: null,
    lastReported: { frames: 0, dropped: 0 },
  });
});
