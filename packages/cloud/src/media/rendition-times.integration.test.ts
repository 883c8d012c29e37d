import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodeFilm, findDelay, readSamples, SAMPLE_RATE } from '../../test/support/film.ts';
import { openMediaFolder } from '../../test/support/renditions.ts';
import { readFrames } from '../../test/support/video-frames.ts';

// Encoders are slow on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const { mediaDir, inspector, startMaker } = openMediaFolder();

/** Stores the file as an original and makes a rendition of it. Returns in how many parts, too. */
async function makeFrom(bytes: Buffer, name: string) {
  const from = join(mediaDir, name);
  await writeFile(from, bytes);
  const info = await inspector.inspect(from, 'key');
  if ('reason' in info) {
    throw new Error(`refused: ${info.message}`);
  }
  const maker = await startMaker();
  const { durationSeconds, frameRate } = info;
  const task = { kind: 'h264_1080p30', sha256: 'a'.repeat(64), from, durationSeconds, frameRate } as const;
  let parts = 0;
  const made = await maker.make(task, new AbortController().signal, () => (parts += 1));
  if (!made || !('path' in made)) {
    throw new Error(`no rendition: ${made?.reason} ${made?.message}`);
  }
  onTestFinished(() => made.release(true));
  return { from, path: made.path, info: made.info, parts };
}

/** When each frame is shown, and when the last one ends. */
async function readTimes(path: string): Promise<number[]> {
  const frames = await readFrames(path);
  const last = frames.at(-1);
  return [...frames.map(({ timestamp }) => timestamp), (last?.timestamp ?? 0) + (last?.duration ?? 0)];
}

async function expectSameTimes(path: string, original: string): Promise<void> {
  const [times, expected] = [await readTimes(path), await readTimes(original)];
  expect(times).toHaveLength(expected.length);
  for (const [index, time] of times.entries()) {
    expect(time, `frame ${index}`).toBeCloseTo(expected[index] ?? 0, 3);
  }
}

test('a video in fragments, whose first frame is shown late, is as long, and shows each frame when the original does', async () => {
  const file = join(import.meta.dirname, '../../../../test/corpus/files/fragmented.mp4');
  const { from, path, info } = await makeFrom(await readFile(file), 'fragmented');
  expect((await readTimes(from))[0]).toBeGreaterThan(0.05);
  await expectSameTimes(path, from);
  expect(info.durationSeconds).toBeCloseTo(1.08, 3);
});

/** An encoder of AAC begins with so much silence, which mediabunny does not leave out. */
const DELAY = 1024;
/** In samples: until an encoder has its first values, and at the end, where there are no more. */
const EDGE = 4096;
/** Of a tone with 0.5. One sample that is missing or there twice makes 0.13. */
const LARGEST_DIFFERENCE = 0.01;

test.each([
  { format: 'mov', pictures: 'avc', sound: 'pcm-s16', seconds: 35, ofParts: 2 },
  { format: 'mp4', pictures: 'hevc', sound: 'ac3', seconds: 35, ofParts: 2 },
  { format: 'webm', pictures: 'vp8', sound: 'vorbis', seconds: 70, ofParts: 3 },
] as const)(
  'sound in $sound becomes AAC without a gap or a click, also where its $ofParts parts meet',
  async ({ ofParts, ...film }) => {
    const bytes = await encodeFilm({ ...film, frameRate: 5 });
    const { from, path, parts } = await makeFrom(bytes, film.sound);
    expect(parts).toBe(ofParts);
    await expectSameTimes(path, from);

    const [original, made] = [await readSamples(from), await readSamples(path)];
    expect(original.length / SAMPLE_RATE).toBeCloseTo(film.seconds, 1);
    const delay = findDelay(original, made, 2 * DELAY);
    expect(delay).toBe(DELAY);
    const longer = made.length - original.length;
    expect(longer).toBeGreaterThanOrEqual(0);
    expect(longer).toBeLessThanOrEqual(delay + DELAY);
    let largest = { difference: 0, at: 0 };
    for (let at = EDGE; at < original.length - EDGE; at++) {
      const difference = Math.abs((original[at] ?? 0) - (made[at + delay] ?? 0));
      largest = difference > largest.difference ? { difference, at: at / SAMPLE_RATE } : largest;
    }
    expect(largest.difference, `at ${largest.at} s`).toBeLessThan(LARGEST_DIFFERENCE);
  },
);
