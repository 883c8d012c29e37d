import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';
import sharp from 'sharp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { corpusBytes } from '../../../../test/corpus/corpus.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { findDifferences, HDR_FILES } from '../../test/support/hdr-files.ts';
import { LEAST_SSIM, NOT_NICER, openMediaFolder } from '../../test/support/renditions.ts';
import {
  encodePattern,
  patternFrame,
  patternPicture,
  readColourSpace,
  readFirstPicture,
  readFrames,
  readPicture,
  scaleFrame,
  ssim,
} from '../../test/support/video-frames.ts';
import { systemClock } from '../system-clock.ts';
import { unfinishedPartPath } from './rendition-files.ts';
import { NICER } from './rendition-maker.ts';
import type { MadeRendition, RenditionMakerOptions, RenditionTask } from './rendition-maker.ts';
import { startRenditionProcess } from './rendition-process.ts';

// Encoders are slow on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const { mediaDir, inspector, startMaker } = openMediaFolder();

const repository = join(import.meta.dirname, '../../../..');
const media = (path: string) => readFile(join(repository, path));

let files = 0;
/** Stores the file as an original and makes a rendition of it. */
async function makeFrom(
  bytes: Buffer,
  {
    signal = new AbortController().signal,
    ...options
  }: Partial<RenditionMakerOptions> & { signal?: AbortSignal } = {},
) {
  const from = join(mediaDir, `file-${files++}`);
  await writeFile(from, bytes);
  const maker = await startMaker(options);
  const found = await inspector.inspect(from, 'key');
  const info = 'reason' in found ? null : found;
  const task: RenditionTask = {
    kind: info?.type === 'image' ? 'still_3840' : 'h264_1080p30',
    sha256: String(files).padStart(64, '0'),
    from,
    durationSeconds: info ? info.durationSeconds : 1,
    frameRate: info?.frameRate ?? null,
  };
  return { result: await maker.make(task, signal), from };
}

async function madeFrom(bytes: Buffer): Promise<MadeRendition & { from: string }> {
  const { result, from } = await makeFrom(bytes);
  if (!result || !('path' in result)) {
    throw new Error(`no rendition: ${result?.message}`);
  }
  onTestFinished(() => result.release(true));
  return { ...result, from };
}

const reasonOf = async (made: ReturnType<typeof makeFrom>) => {
  const { result } = await made;
  return result && 'reason' in result ? result.reason : result;
};

const left = () => readdir(join(mediaDir, 'renditions'));

test('a video in HEVC with 60 frames a second becomes one in H.264 with 30 that looks the same', async () => {
  const bytes = await encodePattern({ codec: 'hevc', width: 640, height: 360, frames: 16, frameRate: 60 });
  const { info, path, from } = await madeFrom(bytes);
  expect(info).toMatchObject({ format: 'mp4', width: 640, height: 360, frameRate: 30 });
  expect(info.durationSeconds).toBeCloseTo(16 / 60, 3);
  expect(info.codec).toMatch(/^avc1\.64/);
  const [original, made] = [await readFrames(from), await readFrames(path)];
  expect(made).toHaveLength(8);
  for (const [index, frame] of made.entries()) {
    const source = original[index * 2];
    expect(frame.timestamp).toBeCloseTo(index / 30, 4);
    expect(source && ssim(source, frame), `frame ${index}`).toBeGreaterThan(LEAST_SSIM);
  }
  expect(ssim(patternFrame(640, 360, 0), patternFrame(640, 360, 2)), 'two frames apart').toBeLessThan(
    LEAST_SSIM,
  );
});

test.each([
  { frameRate: 60, frames: 31, made: 16, least: 1 },
  { frameRate: 50, frames: 20, made: 10, least: 2 },
  { frameRate: 30_000 / 1001, frames: 17, made: 17, least: 1 },
])(
  '$frames frames at $frameRate a second: it is as long to the frame',
  async ({ made: count, least, ...video }) => {
    const { path, info } = await madeFrom(
      await encodePattern({ codec: 'hevc', width: 64, height: 48, ...video }),
    );
    const made = await readFrames(path);
    expect(made).toHaveLength(count);
    const last = made.at(-1);
    expect((last?.timestamp ?? 0) + (last?.duration ?? 0)).toBeCloseTo(video.frames / video.frameRate, 3);
    expect(last?.duration).toBeCloseTo(least / video.frameRate, 3);
    expect(info.durationSeconds).toBeCloseTo(video.frames / video.frameRate, 2);
  },
);

test('a video that is larger than full HD is scaled, with its proportions', async () => {
  const large = await madeFrom(
    await encodePattern({ codec: 'avc', width: 1200, height: 2000, frames: 2, frameRate: 25 }),
  );
  expect(large.info).toMatchObject({ width: 1080, height: 1800 });
});

test('a video that is scaled looks the same', async () => {
  const { info, path, from } = await madeFrom(
    await encodePattern({ codec: 'avc', width: 2560, height: 1440, frames: 4, frameRate: 25 }),
  );
  expect(info).toMatchObject({ width: 1920, height: 1080 });
  const [original, made] = [await readFrames(from), await readFrames(path)];
  expect(made).toHaveLength(4);
  const similarity = async (sourceIndex: number, madeIndex: number) => {
    const [source, frame] = [original[sourceIndex]!, made[madeIndex]!];
    return ssim(await scaleFrame(source, frame), frame);
  };
  for (const index of made.keys()) {
    expect(await similarity(index, index), `frame ${index}`).toBeGreaterThan(LEAST_SSIM);
  }
  expect(await similarity(0, 3), 'three frames apart').toBeLessThan(LEAST_SSIM);
});

test('a video that is held upright stays upright', async () => {
  const { info, path } = await madeFrom(await corpusBytes('phone-portrait.mp4'));
  expect(info).toMatchObject({ width: 90, height: 160 });
  expect((await readFrames(path)).length).toBeGreaterThan(0);
});

test('sound stays', async () => {
  const { path } = await madeFrom(await media('test/e2e/broken/hevc-with-sound.mp4'));
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  expect(await track?.getCodec()).toBe('aac');
  input.dispose();
});

test('what cannot be converted is told with its reason and leaves no file', async () => {
  const hevc = await media('packages/cloud/test/media/blue-hevc.mp4');
  expect(await reasonOf(makeFrom(hevc.subarray(0, 3000)))).toBe('undecodable');
  expect(await reasonOf(makeFrom(hevc, { limits: { maxBytes: 1000 } }))).toBe('too_long');
  expect(await reasonOf(makeFrom(hevc, { limits: { memoryBytes: 1000 } }))).toBe('too_much_memory');
  expect(await reasonOf(makeFrom(hevc, { limits: { deadlineMs: 1 } }))).toBe('too_slow');
  expect(await left()).toEqual([]);
  // What is there stays after these, because another attempt may do.
  expect(await reasonOf(makeFrom(hevc, { useDecoder: false }))).toBe('no_encoder');
  expect(await reasonOf(makeFrom(hevc, { disk: { status: () => ({ state: 'low' }) } }))).toBe('unfinished');
  expect(await left()).toHaveLength(2);
});

test.each(HDR_FILES)('%s is in HDR: its copy has the colours on screens without', async (name, pattern) => {
  const { info, path } = await madeFrom(await corpusBytes(name));
  expect(info.codec).toMatch(/^avc1\.64/);
  // Browsers take a small video for one in BT.601 unless it tells.
  expect(await readColourSpace(path)).toMatchObject({
    matrix: 'bt709',
    transfer: 'bt709',
    primaries: 'bt709',
  });
  expect(await findDifferences(await readFirstPicture(path), pattern)).toEqual([]);
});

test('a video with 10 bits that is not in HDR becomes one with 8 bits', async () => {
  const { info } = await madeFrom(await corpusBytes('high-10.mp4'));
  expect(info.codec).toMatch(/^avc1\.64/);
});

test.each(['blue-hevc.mp4', 'large.png'])(
  'a disk that is full while %s is converted is no failure of the file',
  async (name) => {
    const from = join(mediaDir, name);
    const background = { r: 1, g: 2, b: 3 };
    await writeFile(
      from,
      name === 'large.png'
        ? await sharp({ create: { width: 4000, height: 4000, channels: 3, background } })
            .png()
            .toBuffer()
        : await media(`packages/cloud/test/media/${name}`),
    );
    const to = join(mediaDir, `full-${name}`);
    for (const path of [to, unfinishedPartPath(to)]) {
      // Every write to it fails as on a full disk.
      await symlink('/dev/full', path);
    }
    const { outcome } = startRenditionProcess(
      { kind: name === 'large.png' ? 'still_3840' : 'h264_1080p30', from, to, maxBytes: 1e9 },
      processOptions,
    );
    expect(await outcome).toMatchObject({ type: 'failed', reason: 'not_written' });
  },
);

test('a large picture is scaled, upright and with its transparency', async () => {
  const background = { r: 200, g: 30, b: 30 };
  const photo = sharp({ create: { width: 4200, height: 2100, channels: 3, background } });
  const upright = await madeFrom(await photo.jpeg().withMetadata({ orientation: 6 }).toBuffer());
  expect(upright.info).toMatchObject({ format: 'jpeg', width: 1920, height: 3840, durationSeconds: null });
  const glass = sharp({
    create: { width: 4000, height: 10, channels: 4, background: { ...background, alpha: 0.5 } },
  });
  const transparent = await madeFrom(await glass.png().toBuffer());
  expect(transparent.info).toMatchObject({ format: 'webp', width: 3840, height: 10 });
});

test('a large picture looks the same', async () => {
  const picture = patternPicture(4200, 700);
  const { info, path } = await madeFrom(await picture.clone().png().toBuffer());
  expect(info).toMatchObject({ format: 'jpeg', width: 3840, height: 640 });
  const scaled = await picture.clone().resize(3840, 640).png().toBuffer();
  const expected = await readPicture(sharp(scaled));
  expect(ssim(expected, await readPicture(sharp(path)))).toBeGreaterThan(LEAST_SSIM);
  const coarse = await sharp(scaled).jpeg({ quality: 5 }).toBuffer();
  expect(ssim(expected, await readPicture(sharp(coarse))), 'of the lowest quality').toBeLessThan(LEAST_SSIM);
});

const processOptions = {
  clock: systemClock,
  mediaDir,
  useDecoder: true,
  limits: { deadlineMs: 200_000, memoryBytes: 2e9, ...NOT_NICER },
  hasSpace: () => true,
  onPart: () => {},
};

let longVideo: Promise<Buffer> | undefined;
/** A process that has begun to convert. */
async function startConversion(folder: string, nicer: number) {
  longVideo ??= encodePattern({ codec: 'avc', width: 640, height: 360, frames: 60, frameRate: 30 });
  const from = join(mediaDir, `from-${folder}`);
  await writeFile(from, await longVideo);
  await mkdir(join(mediaDir, folder));
  const running = startRenditionProcess(
    { kind: 'h264_1080p30', from, to: join(mediaDir, folder, 'made'), maxBytes: 1e9 },
    { ...processOptions, limits: { ...processOptions.limits, nicer } },
  );
  // Node.js alone has about ten.
  await waitUntil(
    'the threads of decoder and encoder',
    async () => (await priorities(running.pid)).length > 12,
    300_000,
  );
  return running;
}

test('all threads have the lowest priority but 4, and an ended process leaves nothing', async () => {
  const running = await startConversion('stopped', NICER);
  const expected = Math.min(getPriority() + NICER, 19);
  expect(new Set(await priorities(running.pid))).toEqual(new Set([expected]));
  running.stop();
  expect(await running.outcome).toMatchObject({ type: 'ended', reason: 'stopped' });
  await waitUntil('the process to be gone', async () => (await priorities(running.pid)).length === 0);
});

test('only the cloud ends a process, not the signal that a service sends to all of its own', async () => {
  const running = await startConversion('signalled', 0);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.kill(running.pid ?? 0, signal);
  }
  expect(await running.outcome).toEqual({ type: 'made' });
});

test('what was stopped is no failure', async () => {
  const stopping = new AbortController();
  const bytes = await encodePattern({ codec: 'hevc', width: 64, height: 48, frames: 20, frameRate: 20 });
  const made = makeFrom(bytes, { signal: stopping.signal });
  stopping.abort();
  expect((await made).result).toBeNull();
});

/** How nice the threads of a process are; none of a process that has ended. */
async function priorities(pid: number | undefined): Promise<number[]> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const stats = await Promise.all(
    threads.map((thread) => readFile(join(folder, thread, 'stat'), 'utf8').catch(() => '')),
  );
  // Fields after the program name, which may contain spaces; see proc(5).
  return stats.filter(Boolean).map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
}
