import { mkdir, readdir, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import { beforeEach, expect, test, vi } from 'vitest';
import { descendants } from '../../../../test/support/program.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { LEAST_SSIM, openMediaFolder } from '../../test/support/renditions.ts';
import { encodePattern, readFrames, readSound, ssim } from '../../test/support/video-frames.ts';
import type { TimedFrame } from '../../test/support/video-frames.ts';
import { isPartName } from './rendition-files.ts';
import type { MadeRendition, RenditionMaker, RenditionTask } from './rendition-maker.ts';

// Encoders are slow on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const SHA256 = 'a'.repeat(64);

const { mediaDir, inspector, startMaker } = openMediaFolder();
const folder = join(mediaDir, 'renditions');

async function store(bytes: Buffer, frameRate: number): Promise<RenditionTask> {
  const from = join(mediaDir, 'original');
  await writeFile(from, bytes);
  const info = await inspector.inspect(from, 'key');
  const durationSeconds = 'reason' in info ? null : info.durationSeconds;
  return { kind: 'h264_1080p30', sha256: SHA256, from, durationSeconds, frameRate };
}

let threeParts: Promise<Buffer> | undefined;
/** A video that is encoded as three parts. */
async function storeThreeParts(): Promise<RenditionTask> {
  threeParts ??= encodePattern({ codec: 'hevc', width: 64, height: 48, frames: 350, frameRate: 5 });
  return store(await threeParts, 5);
}

/** Makes it to its end. Returns how many parts this attempt has encoded as well. */
async function finish(
  maker: RenditionMaker,
  task: RenditionTask,
): Promise<MadeRendition & { encoded: number }> {
  let encoded = 0;
  const made = await maker.make(task, new AbortController().signal, () => (encoded += 1));
  if (!made || !('path' in made)) {
    throw new Error(`no rendition: ${made?.message}`);
  }
  return { ...made, encoded };
}

/** Makes it until one part is there; then the cloud ends its process. */
async function killAfterPart(maker: RenditionMaker, task: RenditionTask): Promise<void> {
  const killing = new AbortController();
  expect(await maker.make(task, killing.signal, () => killing.abort())).toBeNull();
}

/** The process that makes it. */
const findProcess = () => descendants(process.pid).find(({ command }) => command.includes('h264_1080p30'));

/** As the system does it when memory is short. Returns whether there was one. */
function killProcess(): boolean {
  const found = findProcess();
  return found !== undefined && process.kill(found.pid, 'SIGKILL');
}

/** The whole parts that are there; written again, they would be other files. */
async function listParts(): Promise<{ name: string; ino: number; mtimeMs: number }[]> {
  const [name = ''] = await readdir(folder);
  const names = (await readdir(join(folder, name))).filter((each) => isPartName(each)).toSorted(byStart);
  return Promise.all(
    names.map(async (each) => {
      const { ino, mtimeMs } = await stat(join(folder, name, each));
      return { name: each, ino, mtimeMs };
    }),
  );
}

const timesOf = (frames: readonly TimedFrame[]) =>
  frames.map(({ timestamp, duration }) => [timestamp, duration]);
const byStart = (a: string, b: string) => Number(a.split('-')[1]) - Number(b.split('-')[1]);
const endOf = (frames: readonly TimedFrame[]): number => {
  const last = frames.at(-1);
  return last ? last.timestamp + last.duration : 0;
};
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

beforeEach(async () => {
  await (await startMaker()).forget({ kind: 'h264_1080p30', sha256: SHA256 });
});

test.each([
  { what: '32 frames a second', frames: 1120, frameRate: 32, step: 2, ofParts: 2 },
  {
    what: 'frames that are not equally long',
    frames: 1300,
    frameRate: 20,
    step: 1,
    ofParts: 3,
    timeOf: (index: number) => index / 20 + (index % 3 === 1 ? 0.02 : 0),
  },
])(
  'a video with $what goes on after a kill, and becomes what it would have been without',
  async ({ step, ofParts, ...video }) => {
    const bytes = await encodePattern({ codec: 'hevc', width: 64, height: 48, hasSound: true, ...video });
    const task = await store(bytes, video.frameRate);
    const original = await readFrames(task.from);

    const whole = await finish(await startMaker(), task);
    const expected = await readFrames(whole.path);
    const sound = await readSound(whole.path);
    await whole.release(true);
    expect(await readdir(folder)).toEqual([]);
    expect(whole.encoded).toBe(ofParts);

    await killAfterPart(await startMaker(), task);
    const kept = await listParts();
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(whole.encoded);

    const resumed = await startMaker();
    const made = await finish(resumed, task);
    expect(await resumed.listUnfinished(), 'in use').toEqual([]);
    await resumed.forget(task);
    const parts = await listParts();
    expect(parts.slice(0, kept.length)).toEqual(kept);
    expect([parts.length, made.encoded]).toEqual([whole.encoded, whole.encoded - kept.length]);

    const frames = await readFrames(made.path);
    expect(timesOf(frames)).toEqual(timesOf(expected));
    expect(frames).toHaveLength(Math.ceil(video.frames / step));
    for (const [index, frame] of frames.entries()) {
      expect(frame.timestamp, `frame ${index}`).toBeCloseTo(original[index * step]?.timestamp ?? 0, 4);
    }
    expect(endOf(frames)).toBeCloseTo(endOf(original), 3);
    const similarityOf = (some: readonly TimedFrame[]) =>
      some.map((frame, index) => ssim(original[index * step] ?? frame, frame));
    const [similarity, expectedSimilarity] = [similarityOf(frames), similarityOf(expected)];
    expect(Math.min(...similarity)).toBeGreaterThan(LEAST_SSIM);
    expect(Math.min(...expectedSimilarity)).toBeGreaterThan(LEAST_SSIM);
    expect(meanOf(similarity)).toBeCloseTo(meanOf(expectedSimilarity), 2);
    expect(made.info).toEqual(whole.info);

    // Copied as it is, without gaps where the parts meet.
    expect(sound.length).toBeGreaterThan((40 * video.frames) / video.frameRate);
    expect(sound).toEqual(await readSound(task.from));
    expect(await readSound(made.path)).toEqual(sound);
    await made.release(true);
    expect(await readdir(folder)).toEqual([]);
  },
);

test('parts are deleted when somebody forgets them, and with the failure when they are too large', async () => {
  const task = await storeThreeParts();
  const work = { kind: task.kind, sha256: task.sha256 };
  const maker = await startMaker({ limits: { maxBytes: 20_000_000 } });
  await killAfterPart(maker, task);
  expect(await maker.listUnfinished()).toEqual([work]);
  await mkdir(join(folder, 'of-an-earlier-version'));
  const next = await startMaker({ limits: { maxBytes: 20_000_000 } });
  expect(await readdir(folder)).toHaveLength(1);
  expect(await next.listUnfinished()).toEqual([work]);
  await next.forget(work);
  expect(await next.listUnfinished()).toEqual([]);

  await killAfterPart(next, task);
  const [name = ''] = await readdir(folder);
  const [part] = await listParts();
  await truncate(join(folder, name, part?.name ?? ''), 20_000_001);
  expect(await next.make(task, new AbortController().signal)).toMatchObject({ reason: 'too_large' });
  expect(await readdir(folder)).toEqual([]);
});

test('a process that was killed after a part leaves it to the next one; one that ends without a part has failed', async () => {
  const task = await storeThreeParts();
  const maker = await startMaker();
  const { signal } = new AbortController();
  expect(await maker.make(task, signal, killProcess)).toMatchObject({ reason: 'unfinished' });
  const kept = await listParts();
  expect(kept).not.toEqual([]);

  const making = maker.make(task, signal);
  await waitUntil('the process', async () => killProcess());
  expect(await making).toMatchObject({ reason: 'crashed' });
  expect(await readdir(folder)).toEqual([]);
});

test('parts of other versions of the packages are deleted', async () => {
  const task = await storeThreeParts();
  const maker = await startMaker();
  await killAfterPart(maker, task);
  const [name = ''] = await readdir(folder);
  for (const part of await listParts()) {
    const other = part.name.replace(/[0-9a-f]+$/, '000000000000');
    await rename(join(folder, name, part.name), join(folder, name, other));
  }
  const made = await finish(maker, task);
  expect(made.encoded).toBe(3);
  const names = (await listParts()).map((part) => part.name.split('-'));
  expect(names.map(([, start, frames]) => [start, frames])).toEqual([
    ['0', '150'],
    ['30000000', '150'],
    ['60000000', '50'],
  ]);
  expect(new Set(names.map(([, , , versions]) => versions))).not.toContain('000000000000');
  await made.release(true);
});

test('a part that has another format than the others is refused', async () => {
  const task = await storeThreeParts();
  const maker = await startMaker();
  await killAfterPart(maker, task);
  const [name = ''] = await readdir(folder);
  const [part] = await listParts();
  const other = await encodePattern({ codec: 'avc', width: 96, height: 72, frames: 150, frameRate: 5 });
  await writeFile(join(folder, name, part?.name ?? ''), other);
  const refused = await maker.make(task, new AbortController().signal);
  expect(refused).toMatchObject({ reason: 'undecodable', message: expect.stringContaining('do not fit') });
  expect(await readdir(folder)).toEqual([]);
});

test('a video whose size changes is encoded as one part, whose size does not', async () => {
  const task = await store(await encodeTwoSizes(), 5);
  expect(sizesOf(await readFrames(task.from))).toEqual(['64 × 48', '96 × 72']);
  const made = await finish(await startMaker(), task);
  const frames = await readFrames(made.path);
  expect(sizesOf(frames)).toEqual(['64 × 48']);
  expect(frames).toHaveLength(350);
  expect(made.encoded).toBe(1);
  await made.release(true);
});

const sizesOf = (frames: readonly TimedFrame[]) => [
  ...new Set(frames.map(({ width, height }) => `${width} × ${height}`)),
];

/** 35 s of 64 × 48, then 35 s of 96 × 72, as the recorder of a browser does it. */
async function encodeTwoSizes(): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const pictures = new EncodedVideoPacketSource('vp8');
  output.addVideoTrack(pictures);
  await output.start();
  const sizes = [
    { width: 64, height: 48 },
    { width: 96, height: 72 },
  ];
  for (const [index, size] of sizes.entries()) {
    const bytes = await encodePattern({ codec: 'vp8', ...size, frames: 175, frameRate: 5 });
    const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    const decoderConfig = (await track?.getDecoderConfig()) ?? undefined;
    for await (const packet of track ? new EncodedPacketSink(track).packets() : []) {
      await pictures.add(packet.clone({ timestamp: packet.timestamp + 35 * index }), { decoderConfig });
    }
    input.dispose();
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer());
}
