import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSupportBundle } from './support-bundle.ts';
import { usbSticks } from './usb-sticks.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

function box() {
  const dataDir = tempDir();
  const media = join(tempDir(), 'media');
  const stick = join(media, 'MY STICK');
  mkdirSync(stick, { recursive: true });
  mkdirSync(join(dataDir, 'logs'));
  writeFileSync(join(dataDir, 'logs', 'shell.log'), 'what the shell said\n');
  const mountsFile = join(dataDir, 'mounts');
  writeFileSync(mountsFile, '');
  const plug = (line: string) => writeFileSync(mountsFile, `proc /proc proc rw 0 0\n${line}\n`);
  const bundle = createSupportBundle({
    dataDir,
    hostname: 'box 1',
    recentLog: () => 'what the runtime said\n',
    usb: { mountsFile, roots: [media] },
    log: createQuietLog(),
  });
  return { dataDir, media, stick, mountsFile, plug, bundle };
}

test('logs and status are written as plain files into the data folder', async () => {
  const { dataDir, bundle } = box();
  const [place = ''] = await bundle.save({ state: 'paired' }, NOON);
  expect(place).toBe(join(dataDir, 'support', 'placard-logs-box_1-2026-11-20-120000'));
  const read = (name: string) => readFileSync(join(place, name), 'utf8');
  expect(JSON.parse(read('status.json'))).toEqual({ state: 'paired' });
  expect(read('runtime.log')).toBe('what the runtime said\n');
  expect(read('shell.log')).toBe('what the shell said\n');
});

test('and onto a stick that is plugged in and can be written', async () => {
  const { stick, media, mountsFile, plug, bundle } = box();
  const mount = stick.replaceAll(' ', '\\040');
  plug(`/dev/sda1 ${mount} vfat ro,nosuid 0 0`);
  expect(await usbSticks({ mountsFile, roots: [media] })).toEqual([]);
  plug(`/dev/sda1 ${mount} vfat rw,nosuid 0 0`);
  const places = await bundle.save({}, NOON);
  expect(places).toHaveLength(2);
  expect(readFileSync(join(stick, readdirSync(stick)[0]!, 'runtime.log'), 'utf8')).toContain('the runtime');
});

test('a data folder that takes nothing leaves the stick; neither of them is an error', async () => {
  const { dataDir, stick, plug, bundle } = box();
  writeFileSync(join(dataDir, 'support'), 'in the way');
  await expect(bundle.save({}, NOON)).rejects.toThrow(/EEXIST|ENOTDIR/);
  plug(`/dev/sda1 ${stick.replaceAll(' ', '\\040')} vfat rw 0 0`);
  expect(await bundle.save({}, NOON)).toEqual([expect.stringContaining(stick)]);
});

test('only the newest three are kept', async () => {
  const { dataDir, bundle } = box();
  for (let hour = 0; hour < 5; hour++) await bundle.save({}, NOON + hour * 3_600_000);
  expect(readdirSync(join(dataDir, 'support')).map((name) => name.slice(-6))).toEqual([
    '140000',
    '150000',
    '160000',
  ]);
});
