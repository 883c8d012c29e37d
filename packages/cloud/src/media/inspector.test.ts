import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  gifOf,
  mp4WithEndlessShifts,
  mp4WithHugeCounts,
  mp4WithTracks,
  webpWithoutPicture,
} from '../../test/support/killers.ts';
import { systemClock } from '../clock.ts';
import { createInspector } from './inspector.ts';
import type { Inspector, InspectorOptions } from './inspector.ts';
import type { Inspected, Refused } from './messages.ts';

// Processes of low priority, on a machine that does ten other things.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
const open: Inspector[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-media-'));
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await rm(folder, { recursive: true, force: true });
});

function inspector(options: Partial<InspectorOptions> = {}): Inspector {
  const made = createInspector({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    readable: folder,
    ...options,
  });
  open.push(made);
  return made;
}

const media = (name: string) => readFile(join(import.meta.dirname, '../../test/media', name));
const av1 = () => media('red-then-blue-av1.mp4');
let files = 0;
async function inspect(on: Inspector, bytes: Buffer, owner = 'key'): Promise<Inspected | Refused> {
  const path = join(folder, `file-${files++}`);
  await writeFile(path, bytes);
  return on.inspect(path, owner);
}
const reasonOf = async (found: Promise<Inspected | Refused>) => {
  const answer = await found;
  return 'reason' in answer ? answer.reason : answer;
};

test('a file that never ends to be read is given up, and the next one is looked at', async () => {
  const on = inspector({ processes: 1, limits: { deadlineMs: 1500 } });
  const bad = await inspect(on, mp4WithEndlessShifts(await av1()));
  expect(bad).toEqual({
    reason: 'too_slow',
    message: 'The file could not be read within 1.5 seconds: it is damaged, or this machine is too busy.',
  });
  // A picture, for a busy machine needs more than this deadline to load the decoder of a video.
  expect(await inspect(on, gifOf(40, 30))).toMatchObject({ format: 'gif', width: 40 });
});

test('a file that fills the heap of JavaScript ends its process alone', async () => {
  // Filling all that is allowed takes a busy machine long.
  const on = inspector({ processes: 1, limits: { deadlineMs: 40_000, memoryBytes: 200 * 2 ** 20 } });
  expect(await reasonOf(inspect(on, mp4WithHugeCounts(await av1())))).toBe('too_much_memory');
  expect(await inspect(on, await av1())).toMatchObject({ format: 'mp4' });
});

test('a file with 5,000 tracks is read or given up within the deadline', async () => {
  const on = inspector({ processes: 1, limits: { deadlineMs: 3000 } });
  const found = await inspect(on, mp4WithTracks(await av1(), 5000));
  expect(['too_slow', 'mp4']).toContain('reason' in found ? found.reason : found.format);
});

test.skipIf(process.platform !== 'linux')(
  'the memory of native libraries counts as well: the whole process has one bound',
  async () => {
    // Its frame alone is 324 MB.
    const large = gifOf(9000, 9000);
    const small = inspector({ processes: 1, limits: { memoryBytes: 150 * 2 ** 20 } });
    expect(await inspect(small, large)).toEqual({
      reason: 'too_much_memory',
      message: 'The file needs more than 150 MB of memory to be read; it is damaged or too large.',
    });
    expect(await inspect(inspector({ processes: 1 }), large)).toMatchObject({ width: 9000, height: 9000 });
  },
);

test('pictures beyond the budget of pixels are refused before they are decoded, frames counted', async () => {
  const on = inspector({ processes: 1 });
  expect(await inspect(on, gifOf(16_383, 16_383))).toEqual({
    reason: 'too_many_pixels',
    message: 'The picture has 16383 × 16383 pixels; at most 100 million are accepted.',
  });
  expect(await reasonOf(inspect(on, gifOf(9000, 9000, 20)))).toBe('too_many_pixels');
  expect(await inspect(on, gifOf(900, 900, 20))).toMatchObject({ format: 'gif', width: 900 });
  expect(await reasonOf(inspect(on, apng(2000, 2000, 400)))).toBe('too_many_pixels');
});

const chunk = (type: string, data: Buffer) => {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  return bytes;
};

/** The head of an animated PNG. */
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

test('a file without a picture is refused with a reason', async () => {
  const on = inspector({ processes: 1 });
  expect(await reasonOf(inspect(on, webpWithoutPicture()))).toBe('undecodable');
  expect(await reasonOf(inspect(on, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')))).toBe(
    'unsupported_format',
  );
  expect(await reasonOf(inspect(on, (await av1()).subarray(0, 1000)))).toBe('no_picture');
});

test('a video of which no picture can be decoded is refused', async () => {
  const video = await media('red-then-blue-avc.mp4');
  const data = video.indexOf('mdat') + 4;
  video.fill(0xa5, data, data + video.readUInt32BE(data - 8) - 8);
  expect(await inspect(inspector({ processes: 1 }), video)).toEqual({
    reason: 'undecodable',
    message: 'The video cannot be decoded: none of its pictures could be read.',
  });
});

test.each([
  'red-then-blue-avc.mp4',
  'red-then-blue-avc.mov',
  'blue-hevc.mp4',
  'red-then-blue-vp9.webm',
  'red-then-blue-vp8.webm',
  'red-then-blue-av1.webm',
])('%s has a small picture, from its first tenth', async (name) => {
  const found = await inspect(inspector({ processes: 1 }), await media(name));
  if ('reason' in found) throw new Error(found.message);
  expect(found).toMatchObject({ type: 'video', width: 160, height: 90, thumbnailFault: null });
  const picture = sharp(found.thumbnail ?? undefined);
  expect(await picture.metadata()).toMatchObject({ format: 'webp', width: 160, height: 90 });
  const [red = 255, green = 255, blue = 0] = (await picture.stats()).channels.map(({ mean }) => mean);
  expect(blue).toBeGreaterThan(150);
  expect(Math.max(red, green)).toBeLessThan(120);
});

test('without the optional decoder such a video is accepted without one, and that is no fault of it', async () => {
  const on = inspector({ processes: 1, decoder: false });
  expect(await on.codecs()).toEqual({ codecs: ['vp8', 'av1'], missing: 'switched off' });
  for (const name of ['red-then-blue-avc.mp4', 'red-then-blue-vp9.webm'])
    expect(await inspect(on, await media(name))).toMatchObject({ thumbnail: null, thumbnailFault: null });
  expect(await inspect(on, await av1())).toMatchObject({ thumbnail: expect.any(Buffer) });
});

test('no more processes than cores, and one process looks at many files', async () => {
  const on = inspector({ processes: 2 });
  const bytes = await av1();
  const seen = new Set<number>();
  await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      expect(await inspect(on, bytes, `key ${i % 3}`)).toMatchObject({ format: 'mp4' });
      for (const pid of on.pids()) seen.add(pid);
    }),
  );
  expect(seen.size).toBeLessThanOrEqual(2);
});

test('files that never end to be read take up all processes but one, which is there for others', async () => {
  const on = inspector({ processes: 2, limits: { deadlineMs: 100_000 } });
  const endless = mp4WithEndlessShifts(await av1());
  const bad = [1, 2].map(() => inspect(on, endless, 'one key').catch((error: unknown) => error));
  expect(await inspect(on, gifOf(40, 30), 'another key')).toMatchObject({ format: 'gif' });
  await on.close();
  for (const one of bad) expect(await one).toMatchObject({ refusal: 'UNAVAILABLE' });
});

test('too many files that wait are told to come later', async () => {
  const on = inspector({ processes: 1 });
  const bytes = await av1();
  const path = join(folder, 'same');
  await writeFile(path, bytes);
  const all = await Promise.allSettled(Array.from({ length: 80 }, () => on.inspect(path, 'one key')));
  const refused = all.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  expect(refused.length).toBe(15);
  expect(refused[0]).toMatchObject({ refusal: 'UNAVAILABLE', headers: { 'retry-after': '60' } });
});

test('a process that is killed from outside is replaced, and its file is looked at again', async () => {
  const on = inspector({ processes: 1 });
  expect(await inspect(on, await av1())).toMatchObject({ format: 'mp4' });
  const [pid = 0] = on.pids();
  process.kill(pid, 'SIGKILL');
  expect(await inspect(on, await av1())).toMatchObject({ format: 'mp4' });
  expect(on.pids()).not.toContain(pid);
});

test('when it is closed nobody waits, and no process is left', async () => {
  const on = inspector({ processes: 1 });
  const bad = inspect(on, mp4WithEndlessShifts(await av1())).catch((error: unknown) => error);
  await vi.waitFor(() => expect(on.pids()).toHaveLength(1), 10_000);
  const [pid = 0] = on.pids();
  await on.close();
  expect(await bad).toMatchObject({ refusal: 'UNAVAILABLE' });
  await expect(inspect(on, await av1())).rejects.toMatchObject({ refusal: 'UNAVAILABLE' });
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 5000);
});

test.skipIf(spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status !== 0)(
  'a process that hangs in a file is gone when its cloud is killed',
  async () => {
    const path = join(folder, 'endless');
    await writeFile(path, mp4WithEndlessShifts(await av1()));
    const cloud = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { pino } from 'pino';
       import { systemClock } from '${join(import.meta.dirname, '../clock.ts')}';
       import { createInspector } from '${join(import.meta.dirname, 'inspector.ts')}';
       const on = createInspector({ clock: systemClock, log: pino({ level: 'silent' }), readable: '${folder}', processes: 1 });
       await on.codecs();
       void on.inspect('${path}', 'key');
       setTimeout(() => console.log(on.pids()[0]), 500);`,
    ]);
    const [told] = await once(cloud.stdout, 'data');
    const pid = Number(told);
    process.kill(pid, 0);
    cloud.kill('SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 5000);
  },
);

test.skipIf(process.platform !== 'linux')(
  'the process knows no secret, may write nothing, and goes first when memory is short',
  async () => {
    process.env['PLACARD_ADMIN_KEY'] = 'secret-of-the-cloud';
    try {
      const on = inspector({ processes: 1 });
      await on.codecs();
      const [pid = 0] = on.pids();
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('secret-of-the-cloud');
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      expect(line).toContain('--permission');
      expect(line.filter((flag) => /allow-(fs-write|child|worker)/.test(flag))).toEqual([]);
      expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('1000');
      expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/Max core file size +0 /);
      const { stdout } = await promisify(execFile)('ps', ['-o', 'ni=', '-p', String(pid)]);
      expect(Number(stdout)).toBeGreaterThanOrEqual(10);
    } finally {
      delete process.env['PLACARD_ADMIN_KEY'];
    }
  },
);
