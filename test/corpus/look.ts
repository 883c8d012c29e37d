import sharp from 'sharp';
import { BRIGHTNESS_ORDER, QUADRANTS } from './pattern.ts';
import type { PatternColour, PatternSize } from './pattern.ts';

/** Where to look in each quadrant, as parts of the whole side: near the edge, in the middle, near the next quadrant. */
const PLACES = [0.06, 0.25, 0.41];
const HUES: Readonly<Record<PatternColour, number>> = { red: 0, yellow: 54, green: 127, blue: 237 };
/** Degrees. Colours of HDR and of print are not quite the same on a usual screen. */
const HUE_TOLERANCE = 36;
const MIN_BRIGHTNESS = 40;
const MIN_SATURATION = 0.3;
/** Of the three channels together. */
const BLACK = 24;

type Pixel = readonly [red: number, green: number, blue: number];

/** What is wrong with a picture that should show the pattern in this area, and black around it; empty when nothing is. */
export async function problemsOfPattern(
  picture: Buffer,
  { shown, isGrey = false }: { shown: PatternSize; isGrey?: boolean },
): Promise<string[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const scale = Math.min(info.width / shown.width, info.height / shown.height);
  const [width, height] = [shown.width * scale, shown.height * scale];
  const [left, top] = [(info.width - width) / 2, (info.height - height) / 2];
  const pixelAt = (x: number, y: number): Pixel => {
    const at = (Math.floor(y) * info.width + Math.floor(x)) * 3;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };

  const problems: string[] = [];
  const brightness: Record<string, number[]> = {};
  for (const [row, names] of QUADRANTS.entries()) {
    for (const [column, name] of names.entries()) {
      for (const [across, down] of PLACES.flatMap((x) => PLACES.map((y) => [x, y] as const))) {
        const [x, y] = [column === 0 ? across : 1 - across, row === 0 ? down : 1 - down];
        const pixel = pixelAt(left + x * width, top + y * height);
        (brightness[name] ??= []).push(brightnessOf(pixel));
        if (!isGrey && !hasHue(pixel, name)) {
          problems.push(
            `not ${name} at ${Math.round(x * 100)} %, ${Math.round(y * 100)} %: ${pixel.join(' ')}`,
          );
        }
      }
    }
  }
  if (isGrey) {
    problems.push(...problemsOfOrder(brightness));
  }
  const beside: [number, number][] = [
    ...(left >= 4
      ? ([
          [left / 2, info.height / 2],
          [info.width - left / 2, info.height / 2],
        ] as [number, number][])
      : []),
    ...(top >= 4
      ? ([
          [info.width / 2, top / 2],
          [info.width / 2, info.height - top / 2],
        ] as [number, number][])
      : []),
  ];
  for (const [x, y] of beside) {
    const pixel = pixelAt(x, y);
    if (pixel[0] + pixel[1] + pixel[2] > BLACK) {
      problems.push(`not black beside the picture at ${Math.round(x)}, ${Math.round(y)}: ${pixel.join(' ')}`);
    }
  }
  return problems;
}

const brightnessOf = ([red, green, blue]: Pixel) => 0.299 * red + 0.587 * green + 0.114 * blue;

function hasHue([red, green, blue]: Pixel, name: PatternColour): boolean {
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const range = most - least;
  if (most < MIN_BRIGHTNESS || range / most < MIN_SATURATION) {
    return false;
  }
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  const distance = Math.abs(((sixth * 60 - HUES[name] + 540) % 360) - 180);
  return distance <= HUE_TOLERANCE;
}

/** Of a picture without hues: each quadrant is brighter everywhere than the one before. */
function problemsOfOrder(brightness: Readonly<Record<string, number[]>>): string[] {
  let brightest = MIN_BRIGHTNESS;
  return BRIGHTNESS_ORDER.flatMap((name) => {
    const darkest = Math.min(...(brightness[name] ?? []));
    const problem = darkest > brightest ? [] : [`${name} is ${darkest}, not above ${brightest}`];
    brightest = Math.max(...(brightness[name] ?? []));
    return problem;
  });
}
