import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { drawPattern } from '../pattern.ts';
import type { PatternSize } from '../pattern.ts';

/** Makes the file at this path. */
export type Recipe = (path: string) => Promise<void>;

/** Runs a program of the system to its end; throws what it wrote to stderr when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  input: Iterable<Buffer> = [],
  folder?: string,
): Promise<void> {
  const child = spawn(program, args, { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject).on('close', resolve);
  let problems = '';
  child.stderr.on('data', (text: Buffer) => (problems += text.toString()));
  // A program may have enough before the end of its input.
  const fed = pipeline(input, child.stdin).catch(() => {});
  const [exitCode] = await Promise.all([ended, fed]);
  if (exitCode !== 0) {
    throw new Error(`${program} ${args.join(' ')}: ${problems}`);
  }
}

export interface VideoSize extends PatternSize {
  fps: number;
  seconds: number;
}

const DEFAULT_VIDEO: VideoSize = { width: 160, height: 90, fps: 25, seconds: 1 };

function* frames({ fps, seconds, ...size }: VideoSize): Iterable<Buffer> {
  const count = Math.max(1, Math.round(fps * seconds));
  for (let i = 0; i < count; i++) {
    yield drawPattern(size, i / count);
  }
}

/** Encodes the pattern with these options of ffmpeg, separated by spaces; its first input is the frames. */
export const video =
  (size: Partial<VideoSize>, options: string): Recipe =>
  async (path) => {
    const whole = { ...DEFAULT_VIDEO, ...size };
    const { width, height, fps } = whole;
    const input = `-f rawvideo -pix_fmt rgb24 -s ${width}x${height} -r ${fps} -i -`;
    const words = `-y -loglevel error -threads 1 ${input} ${options} -threads 1`.split(' ');
    await run('ffmpeg', [...words, path], frames(whole));
  };

/** The second input of ffmpeg: a tone of this many seconds. */
export const tone = (seconds: number) =>
  `-f lavfi -i sine=frequency=330:sample_rate=44100:duration=${seconds}`;

/** A still picture of the pattern. */
export function still(size: Partial<PatternSize> = {}): Sharp {
  const { width, height } = { width: 160, height: 90, ...size };
  return sharp(drawPattern({ width, height }), { raw: { width, height, channels: 3 } });
}

/** The frames of an animation, with the white square at these places. */
export function animation(places: readonly number[]): Sharp {
  const [width, height] = [160, 90];
  const all = places.map((place) => drawPattern({ width, height }, place));
  return sharp(Buffer.concat(all), {
    raw: { width, height: height * places.length, channels: 3, pageHeight: height },
  });
}

/** Makes a picture with sharp. */
export const picture =
  (draw: () => Sharp): Recipe =>
  async (path) =>
    writeFile(path, await draw().toBuffer());

/** Makes a file with a program that reads another file, which is deleted afterwards. */
export const from =
  (source: { ending: string; recipe: Recipe }, convert: (source: string, path: string) => Promise<void>) =>
  async (path: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'placard-corpus-'));
    try {
      const intermediate = join(folder, `source.${source.ending}`);
      await source.recipe(intermediate);
      await convert(intermediate, path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

/** A file made by a recipe, with other bytes. */
export const changed = (
  source: { ending: string; recipe: Recipe },
  change: (bytes: Buffer) => Buffer,
): Recipe => from(source, async (whole, path) => writeFile(path, change(await readFile(whole))));
