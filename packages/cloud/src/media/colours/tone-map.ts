import {
  compressLight,
  DISPLAY_GAMMA,
  HLG_SYSTEM_GAMMA,
  lightOfPq,
  PEAK_LIGHT,
  sceneOfHlg,
} from './light.ts';
import type { WideColours } from './wide-colours.ts';

/** A plane of a frame: values row by row. */
interface Plane {
  values: Uint8Array | Uint16Array;
  /** Values from one row to the next. */
  stride: number;
}

/** How the planes of a frame are stored. */
export interface PlaneLayout {
  /** Bits of a value. */
  depth: number;
  /** 1 where the planes of colours have half as many columns, or rows, as that of brightness. */
  halfColumns: 0 | 1;
  halfRows: 0 | 1;
}

/** A frame with an even number of columns and of rows. */
export interface WideFrame extends PlaneLayout {
  width: number;
  height: number;
  fullRange: boolean;
  /** Brightness, blue and red. */
  planes: readonly [Plane, Plane, Plane];
}

/** What red and blue are of the brightness. */
const LUMA = { bt2020: [0.2627, 0.0593], bt709: [0.2126, 0.0722], bt601: [0.299, 0.114] } as const;
/** From light of these primaries to that of BT.709, row by row. */
const TO_BT709 = {
  bt2020: [1.660491, -0.587641, -0.07285, -0.12455, 1.1329, -0.008349, -0.018151, -0.100579, 1.11873],
  p3: [1.22494, -0.22494, 0, -0.042057, 1.042057, 0, -0.019638, -0.078636, 1.098274],
  bt709: [1, 0, 0, 0, 1, 0, 0, 0, 1],
} as const;
const LIGHT_OF_SIGNAL = {
  pq: lightOfPq,
  hlg: sceneOfHlg,
  gamma: (signal: number) => signal ** DISPLAY_GAMMA,
};

/** How much brighter a display shows a scene in HLG, by the brightness of the scene. */
const displayOfScene = (scene: number): number => PEAK_LIGHT * scene ** (HLG_SYSTEM_GAMMA - 1);

/** The last indexes of tables. Signals have 12 bits at most; the darkest light needs the finest steps. */
const SIGNALS = 4095;
const LIGHTS = 65_535;

/** Values of a function from 0 to 1. */
const tableOf = (last: number, valueAt: (part: number) => number): Float32Array =>
  Float32Array.from({ length: last + 1 }, (_, index) => valueAt(index / last));

const indexOf = (part: number, last: number): number =>
  part <= 0 ? 0 : part >= 1 ? last : Math.trunc(part * last + 0.5);

/**
 * Makes frames that a screen without HDR shows with the colours that were meant: I420 with 8 bits in BT.709, limited range.
 * Light is compressed by the strongest of red, green and blue, so that hues stay; what BT.709 lacks becomes its nearest colour.
 */
export function createToneMap(colours: WideColours): (frame: WideFrame) => Uint8ClampedArray<ArrayBuffer> {
  const [redPart, bluePart] = LUMA[colours.matrix];
  const greenPart = 1 - redPart - bluePart;
  const [redPerCr, bluePerCb] = [2 * (1 - redPart), 2 * (1 - bluePart)];
  const [greenPerCr, greenPerCb] = [(-redPart * redPerCr) / greenPart, (-bluePart * bluePerCb) / greenPart];
  const [redOfRed, redOfGreen, redOfBlue, greenOfRed, greenOfGreen, greenOfBlue, ...ofBlue] =
    TO_BT709[colours.primaries];
  const [blueOfRed, blueOfGreen, blueOfBlue] = ofBlue;

  const isHdr = colours.transfer !== 'gamma';
  const lights = tableOf(SIGNALS, LIGHT_OF_SIGNAL[colours.transfer]);
  const displays = colours.transfer === 'hlg' ? tableOf(LIGHTS, displayOfScene) : null;
  const brightest = isHdr ? PEAK_LIGHT : 1;
  const gains = tableOf(
    LIGHTS,
    isHdr ? (part) => compressLight(part * PEAK_LIGHT) / (part * PEAK_LIGHT) : () => 1,
  );
  // No light has no ratio.
  gains[0] = 1;
  const signals = tableOf(LIGHTS, (light) => light ** (1 / DISPLAY_GAMMA));

  return ({ width, height, fullRange, depth, halfColumns, halfRows, planes: [brightness, blues, reds] }) => {
    const unit = 2 ** (depth - 8);
    const black = fullRange ? 0 : 16 * unit;
    const lumaScale = 1 / (fullRange ? 2 ** depth - 1 : 219 * unit);
    const chromaScale = 1 / (fullRange ? 2 ** depth - 1 : 224 * unit);
    const middle = 128 * unit;
    const made = new Uint8ClampedArray((width * height * 3) / 2);
    let nextBlue = width * height;
    let nextRed = nextBlue + (width * height) / 4;
    for (let top = 0; top < height; top += 2) {
      for (let left = 0; left < width; left += 2) {
        let blueSum = 0;
        let redSum = 0;
        for (let pixel = 0; pixel < 4; pixel++) {
          const x = left + (pixel & 1);
          const y = top + (pixel >> 1);
          const chromaAt = (y >> halfRows) * blues.stride + (x >> halfColumns);
          const luma = (brightness.values[y * brightness.stride + x]! - black) * lumaScale;
          const cb = (blues.values[chromaAt]! - middle) * chromaScale;
          const cr = (reds.values[chromaAt]! - middle) * chromaScale;
          const r = lights[indexOf(luma + redPerCr * cr, SIGNALS)]!;
          const g = lights[indexOf(luma + greenPerCr * cr + greenPerCb * cb, SIGNALS)]!;
          const b = lights[indexOf(luma + bluePerCb * cb, SIGNALS)]!;
          const display = displays ? displays[indexOf(0.2627 * r + 0.678 * g + 0.0593 * b, LIGHTS)]! : 1;
          const red = Math.max(0, redOfRed * r + redOfGreen * g + redOfBlue * b) * display;
          const green = Math.max(0, greenOfRed * r + greenOfGreen * g + greenOfBlue * b) * display;
          const blue = Math.max(0, blueOfRed * r + blueOfGreen * g + blueOfBlue * b) * display;
          const most = Math.max(red, green, blue);
          const gain = most >= brightest ? 1 / most : gains[indexOf(most / brightest, LIGHTS)]!;
          const redSignal = signals[indexOf(red * gain, LIGHTS)]!;
          const greenSignal = signals[indexOf(green * gain, LIGHTS)]!;
          const blueSignal = signals[indexOf(blue * gain, LIGHTS)]!;
          const lumaSignal = 0.2126 * redSignal + 0.7152 * greenSignal + 0.0722 * blueSignal;
          made[y * width + x] = 16 + 219 * lumaSignal;
          blueSum += blueSignal - lumaSignal;
          redSum += redSignal - lumaSignal;
        }
        made[nextBlue++] = 128 + (56 * blueSum) / 1.8556;
        made[nextRed++] = 128 + (56 * redSum) / 1.5748;
      }
    }
    return made;
  };
}
