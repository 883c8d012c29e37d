import type { Sharp } from 'sharp';
import { distanceOf } from './hdr-frames.ts';
import type { Rgb } from './hdr-frames.ts';

/** The pattern of `test/corpus` without HDR, computed apart; its colours are far brighter and stronger than usual ones. */
const PATTERN_OF_PQ: readonly Rgb[] = [
  [255, 0, 0],
  [0, 254, 0],
  [0, 0, 255],
  [255, 110, 0],
];
export const PATTERN_OF_HLG: readonly Rgb[] = [
  [252, 0, 0],
  [0, 215, 16],
  [0, 61, 233],
  [255, 156, 0],
];

/** Files of `test/corpus` in HDR, with the colours of their quadrants on screens without, row by row. */
export const HDR_FILES: readonly (readonly [name: string, pattern: readonly Rgb[]])[] = [
  ['camera-hevc-hdr10.mp4', PATTERN_OF_PQ],
  ['vp9-10-bit-hdr.webm', PATTERN_OF_PQ],
  ['iphone-hevc-hlg.mov', PATTERN_OF_HLG],
];

/** Of 255: the originals are encoded coarsely. */
const TOLERANCE = 16;

/** Where a picture does not have the colours of the pattern. */
export async function findDifferences(picture: Sharp, pattern: readonly Rgb[]): Promise<string[]> {
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return pattern.flatMap((expected, index) => {
    const x = Math.floor(info.width * (index % 2 === 0 ? 0.25 : 0.75));
    const y = Math.floor(info.height * (index < 2 ? 0.25 : 0.75));
    const [red = 0, green = 0, blue = 0] = data.subarray((y * info.width + x) * 3);
    return distanceOf([red, green, blue], expected) <= TOLERANCE
      ? []
      : [`${x}, ${y}: ${red} ${green} ${blue}, not ${expected.join(' ')}`];
  });
}
