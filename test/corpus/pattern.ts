/** The picture that every file of the corpus shows: four quadrants that differ in hue and in brightness. */

/** From the darkest to the brightest. */
export const BRIGHTNESS_ORDER = ['blue', 'red', 'green', 'yellow'] as const;
export type PatternColour = (typeof BRIGHTNESS_ORDER)[number];

export const PATTERN_COLOURS: Readonly<Record<PatternColour, readonly [number, number, number]>> = {
  red: [208, 32, 32],
  green: [48, 192, 64],
  blue: [40, 48, 200],
  yellow: [248, 228, 56],
};

/** Row by row; every rotation and reflection of it is another arrangement. */
export const QUADRANTS: readonly (readonly [PatternColour, PatternColour])[] = [
  ['red', 'green'],
  ['blue', 'yellow'],
];

const WHITE = [255, 255, 255] as const;

export interface PatternSize {
  width: number;
  height: number;
}

/**
 * The pattern as raw RGB. A white square lies on the horizontal line between the quadrants, moved from the left edge to
 * the right one by `progress` (0 to 1), so that the frames of a video differ.
 */
export function drawPattern({ width, height }: PatternSize, progress = 0.5): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  const side = Math.max(1, Math.round(height / 10));
  const left = Math.round((width - side) * progress);
  const top = Math.round((height - side) / 2);
  for (let y = 0; y < height; y++) {
    const colours = QUADRANTS[y * 2 < height ? 0 : 1]!.map((name) => PATTERN_COLOURS[name]);
    for (let x = 0; x < width; x++) {
      const isSquare = x >= left && x < left + side && y >= top && y < top + side;
      const colour = isSquare ? WHITE : colours[x * 2 < width ? 0 : 1]!;
      pixels.set(colour, (y * width + x) * 3);
    }
  }
  return pixels;
}
