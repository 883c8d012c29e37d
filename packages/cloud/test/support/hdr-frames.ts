import type { PlaneLayout, WideFrame } from '../../src/media/colours/tone-map.ts';
import type { WideColours } from '../../src/media/colours/wide-colours.ts';

// Frames in HDR as cameras make them: the inverse of what the cloud does, by the formulas and with the constants of the standards.

export type Rgb = readonly [red: number, green: number, blue: number];
type Matrix = readonly [Rgb, Rgb, Rgb];

export const PQ: WideColours = { transfer: 'pq', primaries: 'bt2020', matrix: 'bt2020', fullRange: false };
export const HLG: WideColours = { ...PQ, transfer: 'hlg' };
export const P3: WideColours = { transfer: 'gamma', primaries: 'p3', matrix: 'bt709', fullRange: false };
/** As HEVC has them. */
export const TEN_BITS: PlaneLayout = { depth: 10, halfColumns: 1, halfRows: 1 };

const LUMA = { bt2020: [0.2627, 0.0593], bt709: [0.2126, 0.0722], bt601: [0.299, 0.114] } as const;
/** ITU-R BT.2087. */
const BT709_TO_BT2020: Matrix = [
  [0.6274, 0.3293, 0.0433],
  [0.0691, 0.9195, 0.0114],
  [0.0164, 0.088, 0.8956],
];
const BT709_TO_P3: Matrix = [
  [0.8225, 0.1774, 0],
  [0.0332, 0.9669, 0],
  [0.0171, 0.0724, 0.9108],
];

export const mapRgb = (rgb: Rgb, map: (value: number) => number): Rgb => [
  map(rgb[0]),
  map(rgb[1]),
  map(rgb[2]),
];
const convert = (rgb: Rgb, rows: Matrix): Rgb => {
  const row = ([a, b, c]: Rgb) => a * rgb[0] + b * rgb[1] + c * rgb[2];
  return [row(rows[0]), row(rows[1]), row(rows[2])];
};
/** Light of a colour on a screen without HDR (values up to 255); that of white is 1. */
const lightOf = (rgb: Rgb): Rgb => mapRgb(rgb, (value) => (value / 255) ** 2.4);

/** The signals of this colour in PQ, with 203 cd/m² for white (SMPTE ST 2084). */
export const inPq = (rgb: Rgb): Rgb =>
  mapRgb(convert(lightOf(rgb), BT709_TO_BT2020), (light) => {
    const power = ((light * 203) / 10_000) ** (2610 / 16_384);
    return ((3424 / 4096 + (2413 / 128) * power) / (1 + (2392 / 128) * power)) ** (2523 / 32);
  });

/** The same in HLG, on a display of 1000 cd/m² (ITU-R BT.2100). */
export function inHlg(rgb: Rgb): Rgb {
  const display = mapRgb(convert(lightOf(rgb), BT709_TO_BT2020), (light) => (light * 203) / 1000);
  const brightness = 0.2627 * display[0] + 0.678 * display[1] + 0.0593 * display[2];
  return mapRgb(display, (light) => {
    const scene = light * brightness ** (1 / 1.2 - 1);
    return scene <= 1 / 12
      ? Math.sqrt(3 * scene)
      : 0.17883277 * Math.log(12 * scene - 0.28466892) + 0.55991073;
  });
}

/** The same without HDR, with the primaries of Display P3. */
export const inP3 = (rgb: Rgb): Rgb =>
  mapRgb(convert(lightOf(rgb), BT709_TO_P3), (light) => light ** (1 / 2.4));

interface FrameOrder {
  /** Even numbers. */
  width: number;
  height: number;
  /** The signals of red, green and blue of a pixel. */
  signalsAt: (x: number, y: number) => Rgb;
  colours: WideColours;
  layout: PlaneLayout;
}

/** A frame as a file stores it. */
export function frameOf({ width, height, signalsAt, colours, layout }: FrameOrder): WideFrame {
  const { depth, halfColumns, halfRows } = layout;
  const [redPart, bluePart] = LUMA[colours.matrix];
  const unit = 2 ** (depth - 8);
  const stored = (part: number, range: number) =>
    Math.round(part * (colours.fullRange ? 2 ** depth - 1 : range * unit));
  const lumaOf = ([red, green, blue]: Rgb) =>
    redPart * red + (1 - redPart - bluePart) * green + bluePart * blue;
  const planeOf = (stride: number, rows: number, valueAt: (column: number, row: number) => number) => {
    const values = depth === 8 ? new Uint8Array(stride * rows) : new Uint16Array(stride * rows);
    for (const at of values.keys()) {
      values[at] = valueAt(at % stride, Math.floor(at / stride));
    }
    return { values, stride };
  };
  const chromaOf = (partOf: (rgb: Rgb) => number) =>
    planeOf(
      width >> halfColumns,
      height >> halfRows,
      (column, row) => 128 * unit + stored(partOf(signalsAt(column << halfColumns, row << halfRows)), 224),
    );
  const black = colours.fullRange ? 0 : 16 * unit;
  const planes: WideFrame['planes'] = [
    planeOf(width, height, (x, y) => black + stored(lumaOf(signalsAt(x, y)), 219)),
    chromaOf((rgb) => (rgb[2] - lumaOf(rgb)) / (2 * (1 - bluePart))),
    chromaOf((rgb) => (rgb[0] - lumaOf(rgb)) / (2 * (1 - redPart))),
  ];
  return { width, height, fullRange: colours.fullRange, ...layout, planes };
}

/** The colour of a pixel of a frame in I420 with 8 bits in BT.709. */
export function colourAt(
  frame: Uint8Array | Uint8ClampedArray,
  size: { width: number; height: number },
  x: number,
  y: number,
): Rgb {
  const { width, height } = size;
  const blueAt = width * height + (y >> 1) * (width / 2) + (x >> 1);
  const luma = (frame[y * width + x]! - 16) / 219;
  const cb = (frame[blueAt]! - 128) / 224;
  const cr = (frame[blueAt + (width * height) / 4]! - 128) / 224;
  return mapRgb([luma + 1.5748 * cr, luma - 0.1873 * cb - 0.4681 * cr, luma + 1.8556 * cb], (part) =>
    Math.round(255 * Math.min(1, Math.max(0, part))),
  );
}

/** By how much the most different of red, green and blue differs, of 255. */
export const distanceOf = (one: Rgb, other: Rgb): number =>
  Math.max(...one.map((value, index) => Math.abs(value - other[index]!)));
