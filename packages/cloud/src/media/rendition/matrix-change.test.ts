import { expect, test } from 'vitest';
import { colourAt, distanceOf, frameOf, mapRgb, P3, TEN_BITS } from '../../../test/support/hdr-frames.ts';
import type { Rgb } from '../../../test/support/hdr-frames.ts';
import { changeMatrix } from './matrix-change.ts';

const SIZE = { width: 2, height: 2 };

test.each([
  { name: '8 bits', depth: 8, fullRange: false },
  { name: '8 bits in full range', depth: 8, fullRange: true },
  { name: '10 bits', depth: 10, fullRange: false },
])('a colour in the matrix of BT.601 is the same in that of BT.709: $name', ({ depth, fullRange }) => {
  const layout = { ...TEN_BITS, depth };
  const colours = { ...P3, matrix: 'bt601', fullRange } as const;
  for (const rgb of [
    [170, 60, 40],
    [40, 150, 60],
    [50, 60, 170],
    [255, 255, 255],
    [0, 0, 0],
  ] satisfies Rgb[]) {
    const signals = mapRgb(rgb, (value) => value / 255);
    const made = changeMatrix(frameOf({ ...SIZE, signalsAt: () => signals, colours, layout }));
    const actual = colourAt(made, SIZE, 1, 1);
    expect(distanceOf(actual, rgb), actual.join(' ')).toBeLessThanOrEqual(3);
  }
});
