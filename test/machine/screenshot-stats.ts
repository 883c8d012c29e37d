import { readFile } from 'node:fs/promises';
import sharp from 'sharp';

/** Statistics of a screenshot. */
export interface ScreenshotStats {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  /** Mean of the whole screenshot, 0 to 255 per channel. */
  readonly mean: readonly [number, number, number];
  /** Standard deviation over all channels: 0 for a single colour. */
  readonly spread: number;
  /** Share of black pixels, 0 to 1. */
  readonly black: number;
  /** The same without the lines of firmware text, which the first console keeps, and without QEMU's placeholder text. */
  readonly blackBelowFirmware: number;
}

const DARK = 24;
/** Eight lines of firmware text at 16 pixels each. */
const FIRMWARE_PIXELS = 130;
/** "Display output is not active.", shown by QEMU in the centre while a driver sets its mode. */
const PLACEHOLDER = { width: 260, height: 24 };

export async function readScreenshotStats(file: string): Promise<ScreenshotStats> {
  const { data, info } = await sharp(await readFile(file))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const sums = [0, 0, 0];
  const squares = [0, 0, 0];
  let black = 0;
  let blackBelow = 0;
  for (let at = 0; at < data.length; at += 3) {
    let dark = true;
    for (let channel = 0; channel < 3; channel++) {
      const value = data[at + channel]!;
      sums[channel]! += value;
      squares[channel]! += value * value;
      if (value > DARK) {
        dark = false;
      }
    }
    if (dark) {
      black += 1;
    }
    const [x, y] = [(at / 3) % info.width, Math.floor(at / 3 / info.width)];
    const isQemuText =
      Math.abs(x - info.width / 2) < PLACEHOLDER.width / 2 &&
      Math.abs(y - info.height / 2) < PLACEHOLDER.height / 2;
    if (y >= FIRMWARE_PIXELS && (dark || isQemuText)) {
      blackBelow += 1;
    }
  }
  const pixels = info.width * info.height;
  const mean = sums.map((sum) => sum / pixels);
  const deviation = squares.map((sum, channel) => Math.sqrt(Math.max(0, sum / pixels - mean[channel]! ** 2)));
  return {
    file,
    width: info.width,
    height: info.height,
    mean: [mean[0]!, mean[1]!, mean[2]!],
    spread: (deviation[0]! + deviation[1]! + deviation[2]!) / 3,
    black: black / pixels,
    blackBelowFirmware: blackBelow / Math.max(1, pixels - info.width * FIRMWARE_PIXELS),
  };
}
