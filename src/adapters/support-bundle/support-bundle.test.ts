import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { logBundle } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSupportBundle } from './support-bundle.ts';
import { findUsbSticks } from './usb-sticks.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

function setUp() {
  const dataDir = tempDir();
  const media = join(tempDir(), 'media');
  const stick = join(media, 'MY STICK');
  mkdirSync(stick, { recursive: true });
  const otherLogs = { 'shell.log': 'what the shell said\n' };
  const mountsFile = join(dataDir, 'mounts');
  writeFileSync(mountsFile, '');
  const plug = (line: string) => writeFileSync(mountsFile, `proc /proc proc rw 0 0\n${line}\n`);
  const bundle = createSupportBundle({
    dataDir,
    hostname: 'box 1',
    recentLog: {
      read: () => 'what the runtime said\n',
      newest: () => ({ run: '1', first: 0, lines: ['what the runtime said'] }),
    },
    redact: (text) => text.replaceAll('opensesame', '…'),
    otherLogs: { 'shell.log': () => Promise.resolve(otherLogs['shell.log']) },
    usb: { mountsFile, roots: [media] },
    log: createRecordingLog(),
  });
  return { dataDir, media, stick, mountsFile, plug, bundle, otherLogs };
}

const unpack = (bytes: Buffer) =>
  new Map(
    logBundle.parse(JSON.parse(gunzipSync(bytes).toString())).files.map(({ name, text }) => [name, text]),
  );

test('writes logs and status as plain files into the data folder', async () => {
  const { dataDir, bundle } = setUp();
  const [place = ''] = await bundle.save({ state: 'paired' }, NOON);
  expect(place).toBe(join(dataDir, 'support', 'placard-logs-box_1-2026-11-20-120000'));
  const read = (name: string) => readFileSync(join(place, name), 'utf8');
  expect(JSON.parse(read('status.json'))).toEqual({ state: 'paired' });
  expect(read('runtime.log')).toBe('what the runtime said\n');
  expect(read('shell.log')).toBe('what the shell said\n');
});

test('writes them onto a writable USB stick too', async () => {
  const { stick, media, mountsFile, plug, bundle } = setUp();
  const mount = stick.replaceAll(' ', '\\040');
  plug(`/dev/sda1 ${mount} vfat ro,nosuid 0 0`);
  expect(await findUsbSticks({ mountsFile, roots: [media] })).toEqual([]);
  plug(`/dev/sda1 ${mount} vfat rw,nosuid 0 0`);
  const places = await bundle.save({}, NOON);
  expect(places).toHaveLength(2);
  expect(readFileSync(join(stick, readdirSync(stick)[0]!, 'runtime.log'), 'utf8')).toContain('the runtime');
});

test('an unwritable data folder does not prevent the copy onto the stick; neither is an error', async () => {
  const { dataDir, stick, plug, bundle } = setUp();
  writeFileSync(join(dataDir, 'support'), 'in the way');
  await expect(bundle.save({}, NOON)).rejects.toThrow(/EEXIST|ENOTDIR/);
  plug(`/dev/sda1 ${stick.replaceAll(' ', '\\040')} vfat rw 0 0`);
  expect(await bundle.save({}, NOON)).toEqual([expect.stringContaining(stick)]);
});

test('hides secrets in the status and in the logs of other processes', async () => {
  const { bundle, otherLogs } = setUp();
  otherLogs['shell.log'] = 'proxy opensesame\n';
  const files = unpack(await bundle.pack({ reason: 'opensesame' }, 100_000));
  expect(JSON.parse(files.get('status.json') ?? '')).toEqual({ reason: '…' });
  expect(files.get('shell.log')).toBe('proxy …\n');
});

test('keeps only the newest three', async () => {
  const { dataDir, bundle } = setUp();
  for (let hour = 0; hour < 5; hour++) {
    await bundle.save({}, NOON + hour * 3_600_000);
  }
  expect(readdirSync(join(dataDir, 'support')).map((name) => name.slice(-6))).toEqual([
    '140000',
    '150000',
    '160000',
  ]);
});

test('what is sent to the cloud is compressed, and loses its oldest lines where it would be too large', async () => {
  const { otherLogs, bundle } = setUp();
  const whole = unpack(await bundle.pack({ state: 'paired' }, 100_000));
  expect([...whole.keys()]).toEqual(['status.json', 'runtime.log', 'shell.log']);
  expect(whole.get('shell.log')).toBe('what the shell said\n');

  const lines = Array.from({ length: 5_000 }, (_, line) => `${line} ${randomBytes(30).toString('hex')}\n`);
  otherLogs['shell.log'] = lines.join('');
  const bytes = await bundle.pack({ state: 'paired' }, 100_000);
  expect(bytes.length).toBeLessThanOrEqual(100_000);
  const cut = unpack(bytes);
  const kept = cut.get('shell.log') ?? '';
  expect(kept.length).toBeGreaterThan(50_000);
  expect(lines.join('').endsWith(`\n${kept}`), 'the newest lines, whole ones').toBe(true);
  expect(JSON.parse(cut.get('status.json') ?? '')).toEqual({ state: 'paired' });
  await expect(bundle.pack({ noise: randomBytes(100_000).toString('hex') }, 10_000)).rejects.toThrow('alone');
});
