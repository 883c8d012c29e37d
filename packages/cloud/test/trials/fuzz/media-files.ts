import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import {
  gifOf,
  mp4WithEndlessShifts,
  mp4WithHugeCounts,
  mp4WithTracks,
  webpWithoutPicture,
} from '../../support/killers.ts';
import type { Chance } from '../support/chance.ts';

/** A sound file, by the name of its format and coding. */
export interface Sample {
  name: string;
  bytes: Buffer;
}

const SMALL = resolve(import.meta.dirname, '../../media');
const LARGE = resolve(import.meta.dirname, '../../../../../test/media');

/** A sound file of every format and coding that is accepted. */
export async function soundFiles(): Promise<Sample[]> {
  const [width, height, frames] = [96, 64, 6];
  const noise = Buffer.alloc(width * height * frames * 3, 0);
  for (let i = 0; i < noise.length; i++) noise[i] = (i * 7 + (i >> 5) * 13) & 0xff;
  const still = () => sharp(noise.subarray(0, width * height * 3), { raw: { width, height, channels: 3 } });
  const moving = () =>
    sharp(noise, { raw: { width, height: height * frames, channels: 3, pageHeight: height } });
  const pictures: [string, Promise<Buffer>][] = [
    ['jpeg', still().jpeg().toBuffer()],
    ['jpeg progressive', still().jpeg({ progressive: true }).withMetadata({ orientation: 6 }).toBuffer()],
    ['png', still().png().toBuffer()],
    ['png interlaced', still().png({ progressive: true, palette: true }).toBuffer()],
    ['webp lossy', still().webp().toBuffer()],
    ['webp lossless', still().webp({ lossless: true }).toBuffer()],
    ['webp animated', moving().webp({ delay: 100 }).toBuffer()],
    ['gif', still().gif().toBuffer()],
    ['gif animated', moving().gif({ delay: 100 }).toBuffer()],
    ['avif', still().avif({ effort: 0 }).toBuffer()],
    ['jpeg large', readFile(join(LARGE, 'sample-morning-1920x1080.jpg'))],
    ['webp large', readFile(join(LARGE, 'sample-offer-1200x1200.webp'))],
    ['mp4 h264', readFile(join(SMALL, 'red-then-blue-avc.mp4'))],
    ['mov h264', readFile(join(SMALL, 'red-then-blue-avc.mov'))],
    ['mp4 hevc', readFile(join(SMALL, 'blue-hevc.mp4'))],
    ['mp4 av1', readFile(join(SMALL, 'red-then-blue-av1.mp4'))],
    ['webm vp8', readFile(join(SMALL, 'red-then-blue-vp8.webm'))],
    ['webm vp9', readFile(join(SMALL, 'red-then-blue-vp9.webm'))],
    ['webm av1', readFile(join(SMALL, 'red-then-blue-av1.webm'))],
    ['mp4 h264 large', readFile(join(LARGE, 'sample-waves-1280x720.mp4'))],
    ['webm vp9 large', readFile(join(LARGE, 'sample-lights-1280x720.webm'))],
  ];
  return Promise.all(pictures.map(async ([name, bytes]) => ({ name, bytes: await bytes })));
}

/** Files that are known to have hung, filled or ended the cloud. */
export async function knownKillers(): Promise<Sample[]> {
  const mp4 = await readFile(join(SMALL, 'red-then-blue-av1.mp4'));
  return [
    { name: 'mp4 with endless shifts', bytes: mp4WithEndlessShifts(mp4) },
    { name: 'mp4 with huge counts', bytes: mp4WithHugeCounts(mp4) },
    { name: 'mp4 with 5,000 tracks', bytes: mp4WithTracks(mp4, 5000) },
    { name: 'gif of 268 million pixels', bytes: gifOf(16_383, 16_383) },
    { name: 'gif of many frames', bytes: gifOf(8000, 8000, 40) },
    { name: 'webp without a picture', bytes: webpWithoutPicture() },
  ];
}

const NUMBERS = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ffffff, 0xffff];

/** The same file with one to four damaged places. */
export function damaged(whole: Buffer, chance: Chance): Buffer {
  let bytes = Buffer.from(whole);
  const places = 1 + chance.int(4);
  for (let i = 0; i < places; i++) {
    // The tables of most formats are at the beginning or at the end; that is where damage does most.
    const near = chance.pick([bytes.length, Math.min(bytes.length, 400), -Math.min(bytes.length, 1200)]);
    const at = near < 0 ? bytes.length + near + chance.int(-near) : chance.int(Math.max(1, near));
    const length = 1 + chance.int(8);
    const kind = chance.int(8);
    if (kind < 3) for (let j = at; j < Math.min(at + length, bytes.length); j++) bytes[j] = chance.int(256);
    else if (kind === 3) {
      if (at + 4 <= bytes.length) bytes.writeUInt32BE(chance.pick(NUMBERS), at);
    } else if (kind === 4) {
      const bit = bytes[at];
      if (bit !== undefined) bytes[at] = bit ^ (1 << chance.int(8));
    } else if (kind === 5) bytes = bytes.subarray(0, Math.max(12, at));
    else if (kind === 6) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    else
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.max(0, at - 200), at),
        bytes.subarray(at),
      ]);
  }
  return bytes;
}
