import { readFile } from 'node:fs/promises';
import sharp from 'sharp';

/** Mean of pixels, 0 to 255 for red, green and blue. */
export type Mean = readonly [number, number, number];

/** Statistics of a screenshot. */
export interface ScreenshotStats {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  /** Of the whole screenshot. */
  readonly mean: Mean;
  readonly meanOfLeftHalf: Mean;
  readonly meanOfRightHalf: Mean;
  /** Standard deviation over all channels: 0 for a single colour. */
  readonly spread: number;
  /** Share of black pixels, 0 to 1. */
  readonly black: number;
  /** Pixels that are not black in each line of text of a console, from the top, without QEMU's own text. */
  readonly litByLine: readonly number[];
}

const DARK = 24;
/** Height of a line of text on the console, in the firmware's mode as well as in the kernel's. */
const LINE_PIXELS = 16;
/** "Display output is not active.", shown by QEMU in the centre while a driver sets its mode. */
const QEMU_TEXT = { width: 260, height: 24 };

export async function readScreenshotStats(file: string): Promise<ScreenshotStats> {
  const { data, info } = await sharp(await readFile(file))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const left = [0, 0, 0];
  const right = [0, 0, 0];
  const squares = [0, 0, 0];
  const litByLine = Array.from({ length: Math.ceil(height / LINE_PIXELS) }, () => 0);
  let black = 0;
  for (let at = 0; at < data.length; at += 3) {
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)];
    const half = x < width / 2 ? left : right;
    let dark = true;
    for (let channel = 0; channel < 3; channel++) {
      const value = data[at + channel]!;
      half[channel]! += value;
      squares[channel]! += value * value;
      if (value > DARK) {
        dark = false;
      }
    }
    if (dark) {
      black += 1;
      continue;
    }
    const isQemuText =
      Math.abs(x - width / 2) < QEMU_TEXT.width / 2 && Math.abs(y - height / 2) < QEMU_TEXT.height / 2;
    if (!isQemuText) {
      litByLine[Math.floor(y / LINE_PIXELS)]! += 1;
    }
  }
  const pixels = width * height;
  const leftPixels = Math.ceil(width / 2) * height;
  const mean = meanOf(
    left.map((sum, channel) => sum + right[channel]!),
    pixels,
  );
  const deviation = squares.map((sum, channel) => Math.sqrt(Math.max(0, sum / pixels - mean[channel]! ** 2)));
  return {
    file,
    width,
    height,
    mean,
    meanOfLeftHalf: meanOf(left, leftPixels),
    meanOfRightHalf: meanOf(right, pixels - leftPixels),
    spread: (deviation[0]! + deviation[1]! + deviation[2]!) / 3,
    black: black / pixels,
    litByLine,
  };
}

const meanOf = (sums: readonly number[], pixels: number): Mean => [
  sums[0]! / pixels,
  sums[1]! / pixels,
  sums[2]! / pixels,
];
