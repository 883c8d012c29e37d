import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import {
  gifOf,
  mp4WithEndlessTimeOffsets,
  mp4WithHugeSampleCounts,
  mp4WithTracks,
  webpWithoutImageData,
} from '../../support/malicious-media.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';

/** A valid file, named after its format and codec. */
export interface MediaSample {
  name: string;
  bytes: Buffer;
}

const CLOUD_MEDIA_DIR = resolve(import.meta.dirname, '../../media');
const SAMPLE_MEDIA_DIR = resolve(import.meta.dirname, '../../../../../test/media');

/** A valid file of every accepted format and codec. */
export async function validSamples(): Promise<MediaSample[]> {
  const [width, height, frames] = [96, 64, 6];
  const noise = Buffer.alloc(width * height * frames * 3, 0);
  for (let i = 0; i < noise.length; i++) {
    noise[i] = (i * 7 + (i >> 5) * 13) & 0xff;
  }
  const stillImage = () =>
    sharp(noise.subarray(0, width * height * 3), { raw: { width, height, channels: 3 } });
  const animatedImage = () =>
    sharp(noise, { raw: { width, height: height * frames, channels: 3, pageHeight: height } });
  const pictures: [string, Promise<Buffer>][] = [
    ['jpeg', stillImage().jpeg().toBuffer()],
    [
      'jpeg progressive',
      stillImage().jpeg({ progressive: true }).withMetadata({ orientation: 6 }).toBuffer(),
    ],
    ['png', stillImage().png().toBuffer()],
    ['png interlaced', stillImage().png({ progressive: true, palette: true }).toBuffer()],
    ['webp lossy', stillImage().webp().toBuffer()],
    ['webp lossless', stillImage().webp({ lossless: true }).toBuffer()],
    ['webp animated', animatedImage().webp({ delay: 100 }).toBuffer()],
    ['gif', stillImage().gif().toBuffer()],
    ['gif animated', animatedImage().gif({ delay: 100 }).toBuffer()],
    ['avif', stillImage().avif({ effort: 0 }).toBuffer()],
    ['jpeg large', readFile(join(SAMPLE_MEDIA_DIR, 'sample-morning-1920x1080.jpg'))],
    ['webp large', readFile(join(SAMPLE_MEDIA_DIR, 'sample-offer-1200x1200.webp'))],
    ['mp4 h264', readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-avc.mp4'))],
    ['mov h264', readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-avc.mov'))],
    ['mp4 hevc', readFile(join(CLOUD_MEDIA_DIR, 'blue-hevc.mp4'))],
    ['mp4 av1', readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-av1.mp4'))],
    ['webm vp8', readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-vp8.webm'))],
    ['webm vp9', readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-vp9.webm'))],
    ['webm av1', readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-av1.webm'))],
    ['mp4 h264 large', readFile(join(SAMPLE_MEDIA_DIR, 'sample-waves-1280x720.mp4'))],
    ['webm vp9 large', readFile(join(SAMPLE_MEDIA_DIR, 'sample-lights-1280x720.webm'))],
  ];
  return Promise.all(pictures.map(async ([name, bytes]) => ({ name, bytes: await bytes })));
}

/** Files known to have hung or crashed the cloud, or exhausted its memory. */
export async function maliciousSamples(): Promise<MediaSample[]> {
  const mp4 = await readFile(join(CLOUD_MEDIA_DIR, 'red-then-blue-av1.mp4'));
  return [
    { name: 'mp4 with endless time offsets', bytes: mp4WithEndlessTimeOffsets(mp4) },
    { name: 'mp4 with huge counts', bytes: mp4WithHugeSampleCounts(mp4) },
    { name: 'mp4 with 5,000 tracks', bytes: mp4WithTracks(mp4, 5000) },
    { name: 'gif of 268 million pixels', bytes: gifOf(16_383, 16_383) },
    { name: 'gif of many frames', bytes: gifOf(8000, 8000, 40) },
    { name: 'webp without image data', bytes: webpWithoutImageData() },
  ];
}

const BOUNDARY_VALUES = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ffffff, 0xffff];

/** Returns the file with one to four corruptions. */
export function corrupt(original: Buffer, random: SeededRandom): Buffer {
  let bytes = Buffer.from(original);
  const places = 1 + random.below(4);
  for (let i = 0; i < places; i++) {
    // The tables of most formats are at the beginning or end, where damage has the most effect.
    const near = random.pick([bytes.length, Math.min(bytes.length, 400), -Math.min(bytes.length, 1200)]);
    const at = near < 0 ? bytes.length + near + random.below(-near) : random.below(Math.max(1, near));
    const length = 1 + random.below(8);
    const kind = random.below(8);
    if (kind < 3) {
      for (let j = at; j < Math.min(at + length, bytes.length); j++) {
        bytes[j] = random.below(256);
      }
    } else if (kind === 3) {
      if (at + 4 <= bytes.length) {
        bytes.writeUInt32BE(random.pick(BOUNDARY_VALUES), at);
      }
    } else if (kind === 4) {
      const bit = bytes[at];
      if (bit !== undefined) {
        bytes[at] = bit ^ (1 << random.below(8));
      }
    } else if (kind === 5) {
      bytes = bytes.subarray(0, Math.max(12, at));
    } else if (kind === 6) {
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    } else {
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.max(0, at - 200), at),
        bytes.subarray(at),
      ]);
    }
  }
  return bytes;
}
