import { expect, test } from 'vitest';
import { countFrames, NO_FRAMES, pageFrames } from './frames.ts';

const page = (id: string) => pageFrames(NO_FRAMES, id);

test('frames add up over the videos of a page, which count from 0 each', () => {
  expect(page('one').counted).toBe(null);
  let count = countFrames(page('one'), 25, 1);
  count = countFrames(count, 50, 3);
  expect(count.counted).toEqual({ drawn: 47, dropped: 3 });
  // The next video has begun.
  count = countFrames(count, 10, 0);
  count = countFrames(count, 35, 2);
  expect(count.counted).toEqual({ drawn: 70, dropped: 5 });
});

test('the same page goes on, another one begins at nothing', () => {
  const count = countFrames(page('one'), 25, 1);
  expect(pageFrames(count, 'one')).toBe(count);
  expect(pageFrames(count, 'two')).toEqual({ pageId: 'two', counted: null, last: { frames: 0, dropped: 0 } });
});
