import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import {
  gifOf,
  mp4WithEndlessTimeOffsets,
  mp4WithHugeSampleCounts,
  mp4WithTracks,
  webpWithoutImageData,
} from '../../test/support/malicious-media.ts';
import { systemClock } from '../system-clock.ts';
import { createMediaInspector } from './inspector.ts';
import type { MediaInspector, MediaInspectorOptions } from './inspector.ts';
import type { InspectedFile, RejectedFile } from './inspection-messages.ts';

// Low-priority processes are slow on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const folder = tempDir(afterAll);
const openInspectors: MediaInspector[] = [];
afterEach(async () => {
  for (const one of openInspectors.splice(0)) {
    await one.close();
  }
});

const createInspector = ({ limits, ...options }: Partial<MediaInspectorOptions>): MediaInspector =>
  createMediaInspector({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    mediaDir: folder,
    // On a busy machine a process of low priority takes many times as long.
    limits: { deadlineMs: 100_000, ...limits },
    ...options,
  });

/** An inspector for the running test. */
function inspector(options: Partial<MediaInspectorOptions> = {}): MediaInspector {
  const made = createInspector(options);
  openInspectors.push(made);
  return made;
}

/** One process with the usual limits, for all tests that neither change nor end it: starting one takes a second. */
const shared = createInspector({ processes: 1 });
afterAll(() => shared.close());

const media = (name: string) => readFile(join(import.meta.dirname, '../../test/media', name));
const av1 = () => media('red-then-blue-av1.mp4');
let files = 0;
async function inspect(
  on: MediaInspector,
  bytes: Buffer,
  owner = 'key',
): Promise<InspectedFile | RejectedFile> {
  const path = join(folder, `file-${files++}`);
  await writeFile(path, bytes);
  return on.inspect(path, owner);
}
const rejectionOf = async (found: Promise<InspectedFile | RejectedFile>) => {
  const answer = await found;
  return 'reason' in answer ? answer.reason : answer;
};

test('a file that takes forever to parse is rejected, and the next one is inspected', async () => {
  const on = inspector({ processes: 1, limits: { deadlineMs: 1500 } });
  const bad = await inspect(on, mp4WithEndlessTimeOffsets(await av1()));
  expect(bad).toEqual({
    reason: 'too_slow',
    message:
      'The file could not be read within 1.5 seconds: it is damaged, or the cloud is too busy. ' +
      'Send it again; if that fails, export it again.',
  });
  // An image, because on a busy machine loading the video decoder takes longer than this deadline.
  expect(await inspect(on, gifOf(40, 30))).toMatchObject({ format: 'gif', width: 40 });
});

test('a warm-up starts one process, which then inspects the file', async () => {
  const on = inspector({ processes: 2 });
  on.warmUp();
  on.warmUp();
  const pids = on.pids();
  expect(pids).toHaveLength(1);
  expect(await inspect(on, gifOf(40, 30))).toMatchObject({ format: 'gif' });
  expect(on.pids()).toEqual(pids);
  await on.close();
  on.warmUp();
  expect(on.pids()).toEqual([]);
});

test('inspection has a lower priority than the cloud, whatever the priority of the cloud is', async () => {
  const picture = join(folder, 'picture');
  await writeFile(picture, gifOf(40, 30));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { getPriority, setPriority } from 'node:os';
     import { pino } from 'pino';
     import { systemClock } from '${join(import.meta.dirname, '../system-clock.ts')}';
     import { createMediaInspector } from '${join(import.meta.dirname, 'inspector.ts')}';
     setPriority(Math.min(getPriority() + 4, 9));
     const on = createMediaInspector({ clock: systemClock, log: pino({ level: 'silent' }), mediaDir: '${folder}', processes: 1 });
     await on.inspect('${picture}', 'key');
     console.log(getPriority(on.pids()[0]) - getPriority());
     await on.close();`,
  ]);
  expect(Number(stdout)).toBe(5);
});

test('a file that fills the JavaScript heap ends only its process', async () => {
  const on = inspector({ processes: 1, limits: { memoryBytes: 200 * 2 ** 20 } });
  expect(await rejectionOf(inspect(on, mp4WithHugeSampleCounts(await av1())))).toBe('too_much_memory');
  expect(await inspect(on, await av1())).toMatchObject({ format: 'mp4' });
});

test('a file with 5,000 tracks is accepted or rejected within the deadline', async () => {
  const on = inspector({ processes: 1, limits: { deadlineMs: 1500 } });
  const found = await inspect(on, mp4WithTracks(await av1(), 5000));
  expect(['too_slow', 'mp4']).toContain('reason' in found ? found.reason : found.format);
});

test.skipIf(process.platform !== 'linux')('the memory limit includes native libraries', async () => {
  // A single decoded frame takes 324 MB.
  const large = gifOf(9000, 9000);
  const small = inspector({ processes: 1, limits: { memoryBytes: 150 * 2 ** 20 } });
  expect(await inspect(small, large)).toEqual({
    reason: 'too_much_memory',
    message:
      'The file needs more than 150 MB of memory to be read: it is damaged or too large. Export it again, or smaller.',
  });
  expect(await inspect(shared, large)).toMatchObject({ width: 9000, height: 9000 });
});

test('images with too many pixels, counting all frames, are rejected before decoding', async () => {
  expect(await inspect(shared, gifOf(16_383, 16_383))).toEqual({
    reason: 'too_many_pixels',
    message:
      'The picture has 16383 × 16383 pixels; at most 100 million are accepted. Export it smaller, for example with 3840 × 2160.',
  });
  expect(await rejectionOf(inspect(shared, gifOf(9000, 9000, 20)))).toBe('too_many_pixels');
  expect(await inspect(shared, gifOf(900, 900, 20))).toMatchObject({ format: 'gif', width: 900 });
  expect(await rejectionOf(inspect(shared, apng(2000, 2000, 400)))).toBe('too_many_pixels');
});

const chunk = (type: string, data: Buffer) => {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  return bytes;
};

/** The header of an animated PNG. */
function apng(width: number, height: number, frames: number): Buffer {
  const [head, animation] = [Buffer.alloc(13), Buffer.alloc(8)];
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  animation.writeUInt32BE(frames, 0);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('acTL', animation),
    chunk('IDAT', Buffer.alloc(10)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Measures a JPEG image of these grey pixels. */
async function measureJpeg(width: number, height: number, greyAt: (x: number, y: number) => number) {
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) => greyAt(at % width, Math.floor(at / width))),
  );
  const path = join(folder, `picture-${files++}`);
  await sharp(pixels, { raw: { width, height, channels: 1 } })
    .jpeg()
    .toFile(path);
  const measures = await shared.measure(path, 'key');
  if ('reason' in measures) {
    throw new Error(measures.message);
  }
  return measures;
}

test('a screenshot is measured: how bright and dark it is, and what it looks like', async () => {
  const black = await measureJpeg(640, 360, (x, y) => (x < 20 && y < 20 ? 255 : 0));
  expect(black.dark).toBeGreaterThan(0.99);
  expect(black.luminance).toBeLessThan(1);
  expect(await measureJpeg(640, 360, () => 200)).toEqual({
    luminance: 200,
    dark: 0,
    hash: '0000000000000000',
  });
  const darker = await measureJpeg(640, 360, (x) => 250 - Math.floor((x / 640) * 200));
  expect(darker.hash).toBe('ffffffffffffffff');
  const half = await measureJpeg(1280, 720, (_x, y) => (y < 360 ? 0 : 255));
  expect(half.dark).toBeCloseTo(0.5, 1);
  expect(half.luminance).toBeCloseTo(127.5, 0);
});

test('what is no picture, or a larger one than a screenshot, is not measured', async () => {
  const path = join(folder, `picture-${files++}`);
  await writeFile(path, Buffer.from('no picture'));
  expect(await shared.measure(path, 'key')).toMatchObject({ reason: 'undecodable' });
  await writeFile(path, gifOf(3000, 3000));
  expect(await shared.measure(path, 'key')).toMatchObject({ reason: 'undecodable' });
  await writeFile(path, gifOf(300, 300));
  expect(await shared.measure(path, 'key')).toMatchObject({ dark: expect.any(Number) });
});

test('a file without a picture is rejected with a reason', async () => {
  expect(await rejectionOf(inspect(shared, webpWithoutImageData()))).toBe('undecodable');
  expect(await rejectionOf(inspect(shared, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')))).toBe(
    'unsupported_format',
  );
  expect(await rejectionOf(inspect(shared, (await av1()).subarray(0, 1000)))).toBe('no_picture');
});

test('a video without a decodable frame is rejected', async () => {
  const video = await media('red-then-blue-avc.mp4');
  const data = video.indexOf('mdat') + 4;
  video.fill(0xa5, data, data + video.readUInt32BE(data - 8) - 8);
  expect(await inspect(shared, video)).toEqual({
    reason: 'undecodable',
    message: 'The video is damaged: none of its frames can be decoded. Export it again as MP4 with H.264.',
  });
});

test.each([
  'red-then-blue-avc.mp4',
  'red-then-blue-avc.mov',
  'blue-hevc.mp4',
  'red-then-blue-vp9.webm',
  'red-then-blue-vp8.webm',
  'red-then-blue-av1.webm',
])('%s gets a thumbnail from the end of its first tenth', async (name) => {
  const found = await inspect(shared, await media(name));
  if ('reason' in found) {
    throw new Error(found.message);
  }
  expect(found).toMatchObject({ type: 'video', width: 160, height: 90, thumbnailFault: null });
  const picture = sharp(found.thumbnail ?? undefined);
  expect(await picture.metadata()).toMatchObject({ format: 'webp', width: 160, height: 90 });
  const [red = 255, green = 255, blue = 0] = (await picture.stats()).channels.map(({ mean }) => mean);
  expect(blue).toBeGreaterThan(150);
  expect(Math.max(red, green)).toBeLessThan(120);
});

test('without the optional decoder a video is accepted without thumbnail and without thumbnail fault', async () => {
  const on = inspector({ processes: 1, useDecoder: false });
  expect(await on.codecs()).toEqual({ codecs: ['vp8', 'av1'], missing: 'switched off' });
  for (const name of ['red-then-blue-avc.mp4', 'red-then-blue-vp9.webm']) {
    expect(await inspect(on, await media(name))).toMatchObject({ thumbnail: null, thumbnailFault: null });
  }
  expect(await inspect(on, await av1())).toMatchObject({ thumbnail: expect.any(Buffer) });
});

test('the number of processes is limited, and one process inspects many files', async () => {
  const on = inspector({ processes: 2 });
  const bytes = gifOf(40, 30);
  const seen = new Set<number>();
  await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      expect(await inspect(on, bytes, `key ${i % 3}`)).toMatchObject({ format: 'gif' });
      for (const pid of on.pids()) {
        seen.add(pid);
      }
    }),
  );
  expect(seen.size).toBeLessThanOrEqual(2);
});

test('endless files of one owner leave one process for other owners', async () => {
  const on = inspector({ processes: 2 });
  const endless = mp4WithEndlessTimeOffsets(await av1());
  const bad = [1, 2].map(() => inspect(on, endless, 'one key').catch((error: unknown) => error));
  expect(await inspect(on, gifOf(40, 30), 'another key')).toMatchObject({ format: 'gif' });
  await on.close();
  for (const one of bad) {
    expect(await one).toMatchObject({ code: 'UNAVAILABLE' });
  }
});

test('files beyond the queue limit are rejected with Retry-After', async () => {
  const path = join(folder, 'same');
  await writeFile(path, gifOf(40, 30));
  const all = await Promise.allSettled(Array.from({ length: 80 }, () => shared.inspect(path, 'one key')));
  const refused = all.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  expect(refused.length).toBe(15);
  expect(refused[0]).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '60' } });
});

test('a process killed from outside is replaced', async () => {
  const on = inspector({ processes: 1 });
  expect(await inspect(on, gifOf(40, 30))).toMatchObject({ format: 'gif' });
  const [pid = 0] = on.pids();
  process.kill(pid, 'SIGKILL');
  expect(await inspect(on, gifOf(40, 30))).toMatchObject({ format: 'gif' });
  expect(on.pids()).not.toContain(pid);
});

test('close rejects waiting files with Retry-After and leaves no process', async () => {
  const on = inspector({ processes: 1 });
  const bad = inspect(on, mp4WithEndlessTimeOffsets(await av1())).catch((error: unknown) => error);
  await eventually(() => expect(on.pids()).toHaveLength(1));
  const [pid = 0] = on.pids();
  await on.close();
  const stopping = { code: 'UNAVAILABLE', headers: { 'retry-after': '5' } };
  expect(await bad).toMatchObject(stopping);
  await expect(inspect(on, await av1())).rejects.toMatchObject(stopping);
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
});

test.skipIf(spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status !== 0)(
  'a process that hangs in a file ends when its cloud is killed',
  async () => {
    const path = join(folder, 'endless');
    await writeFile(path, mp4WithEndlessTimeOffsets(await av1()));
    const cloud = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { pino } from 'pino';
       import { systemClock } from '${join(import.meta.dirname, '../system-clock.ts')}';
       import { createMediaInspector } from '${join(import.meta.dirname, 'inspector.ts')}';
       const on = createMediaInspector({ clock: systemClock, log: pino({ level: 'silent' }), mediaDir: '${folder}', processes: 1 });
       await on.codecs();
       void on.inspect('${path}', 'key');
       setTimeout(() => console.log(on.pids()[0]), 500);`,
    ]);
    const [printed] = await once(cloud.stdout, 'data');
    const pid = Number(printed);
    process.kill(pid, 0);
    cloud.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  },
);

test.skipIf(process.platform !== 'linux')(
  'the process has no secrets, may not write, and is the first to be killed when memory is short',
  async () => {
    process.env['PLACARD_ADMIN_KEY'] = 'secret-of-the-cloud';
    try {
      const on = inspector({ processes: 1 });
      await inspect(on, gifOf(40, 30));
      const [pid = 0] = on.pids();
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('secret-of-the-cloud');
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      expect(line).toContain('--permission');
      expect(line.filter((flag) => /allow-(fs-write|child|worker)/.test(flag))).toEqual([]);
      expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('1000');
      expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/Max core file size +0 /);
    } finally {
      delete process.env['PLACARD_ADMIN_KEY'];
    }
  },
);
