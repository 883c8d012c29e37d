import { describe, expect, test } from 'vitest';
import {
  colourAt,
  distanceOf,
  frameOf,
  HLG,
  inHlg,
  inP3,
  inPq,
  P3,
  PQ,
  TEN_BITS,
} from '../../../test/support/hdr-frames.ts';
import type { Rgb } from '../../../test/support/hdr-frames.ts';
import { createToneMap } from './tone-map.ts';
import type { WideColours } from './wide-colours.ts';

/** Of 255: tables, ten bits and eight bits are rounded. */
const TOLERANCE = 4;
const SIZE = { width: 4, height: 4 };

const COLOURS: readonly Rgb[] = [
  [170, 60, 40],
  [40, 150, 60],
  [50, 60, 170],
  [160, 140, 50],
  [30, 150, 150],
  [160, 16, 16],
  [90, 90, 90],
];

/** Null when both are the same but for rounding. */
const difference = (actual: Rgb, expected: Rgb, tolerance = TOLERANCE) =>
  distanceOf(actual, expected) <= tolerance ? null : { actual, expected };

/** Where pixels differ, in fours. */
const rgbAt = (x: number, y: number) => COLOURS[(y >> 1) * 2 + (x >> 1)]!;

/** What a frame becomes that has these signals everywhere. */
function colourOf(signals: Rgb, colours: WideColours): Rgb {
  const frame = frameOf({ ...SIZE, signalsAt: () => signals, colours, layout: TEN_BITS });
  return colourAt(createToneMap(colours)(frame), SIZE, 0, 0);
}
const greyOf = (signal: number, colours: WideColours) => colourOf([signal, signal, signal], colours);

describe.each([
  // Signals of a grey card (26 cd/m²), of white paper (203 cd/m²), and of 1000 cd/m² in ITU-R BT.2408.
  { name: 'PQ', colours: PQ, card: 0.38, paper: 0.58, shining: 0.7518, signalsOf: inPq },
  { name: 'HLG', colours: HLG, card: 0.38, paper: 0.75, shining: 1, signalsOf: inHlg },
])('$name', ({ colours, card, paper, shining, signalsOf }) => {
  test('a grey card has its usual grey, paper is nearly white, and the rest is for what shines', () => {
    expect(greyOf(0, colours)).toEqual([0, 0, 0]);
    expect(difference(greyOf(card, colours), [108, 108, 108])).toBeNull();
    expect(difference(greyOf(paper, colours), [230, 230, 230])).toBeNull();
    expect(difference(greyOf(shining, colours), [255, 255, 255])).toBeNull();
  });

  test.each(COLOURS)('the colour %i, %i, %i is the same', (...rgb) => {
    expect(difference(colourOf(signalsOf(rgb), colours), rgb)).toBeNull();
  });

  test('a colour that a usual screen lacks becomes its nearest one there', () => {
    const [red, green, blue] = colourOf([paper, 0, 0], colours);
    expect(red).toBeGreaterThan(200);
    expect(Math.max(green, blue)).toBeLessThanOrEqual(TOLERANCE);
  });
});

test('without HDR, colours with other primaries are the same', () => {
  for (const rgb of [...COLOURS, [255, 255, 255]] as const) {
    expect(difference(colourOf(inP3(rgb), P3), rgb)).toBeNull();
  }
});

test.each([
  { name: '4:2:0 with 8 bits', colours: PQ, layout: { depth: 8, halfColumns: 1, halfRows: 1 } },
  { name: '4:2:2 with 10 bits', colours: PQ, layout: { depth: 10, halfColumns: 1, halfRows: 0 } },
  { name: '4:4:4 with 12 bits', colours: PQ, layout: { depth: 12, halfColumns: 0, halfRows: 0 } },
  { name: 'full range', colours: { ...PQ, fullRange: true }, layout: TEN_BITS },
  { name: 'the matrix of BT.709', colours: { ...PQ, matrix: 'bt709' }, layout: TEN_BITS },
  { name: 'the matrix of BT.601', colours: { ...PQ, matrix: 'bt601' }, layout: TEN_BITS },
] as const)('each pixel has its colour: $name', ({ colours, layout }) => {
  const made = createToneMap(colours)(
    frameOf({ ...SIZE, signalsAt: (x, y) => inPq(rgbAt(x, y)), colours, layout }),
  );
  // Steps of eight bits are steps of 4 % of the light.
  const tolerance = layout.depth === 8 ? 4 * TOLERANCE : TOLERANCE;
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) {
      expect(difference(colourAt(made, SIZE, x, y), rgbAt(x, y), tolerance), `${x}, ${y}`).toBeNull();
    }
  }
});
