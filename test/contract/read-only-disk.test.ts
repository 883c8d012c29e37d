import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { takeDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import { browserPlace, prepareDataFolder } from '../../src/shells/data-folder.ts';
import { recordStart } from '../../src/shells/start-record.ts';
import { startFakeCloud } from '../support/fake-cloud.ts';
import { smallDisk } from '../support/bad-disk.ts';
import { sketchManifest } from '../support/manifests.ts';
import { createShellDouble } from '../support/shell-double.ts';
import { tempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

// Real processes on a machine that has other things to do.
vi.setConfig({ testTimeout: 180_000 });

/** More than what a player leaves free on a disk; memory is taken for what is written only. */
const DISK_MB = 400;

/** Every file below, with its bytes. */
function contentOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    files.flatMap((name) => {
      const path = join(dir, name);
      return statSync(path).isFile() ? [[name, readFileSync(path, 'base64')]] : [];
    }),
  );
}

async function pairedOn(disk: { dir: string }) {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const publish = (revision: string, names: string[]) => {
    const sketch = sketchManifest({ revision, playlists: { pl: names.map((name) => [name, 1]) } });
    const assets = sketch.assets.map((asset) => ({ ...asset, ...cloud.addMedia(asset.id) }));
    cloud.setManifest({ ...sketch, assets });
  };
  publish('r1', ['a', 'b']);
  const dataDir = join(disk.dir, 'player');
  const scratch = tempDir();
  const shell = createShellDouble({ server: cloud.url, dataDir, env: { TMPDIR: scratch } });
  onTestFinished(() => shell.end());
  await shell.start();
  cloud.confirm();
  await until('both files', () => cloud.seen.mediaRequests.length === 2 && shell.stage.shown.length >= 2);
  const faultsTold = () => cloud.seen.heartbeats.at(-1)?.state.faults.map((fault) => fault.code);
  /** Shown from now on, by a page that was just opened. */
  const afresh = async () => {
    shell.stage.reload();
    const before = shell.stage.shown.length;
    await shell.start();
    await until('two pictures', () => shell.stage.shown.length >= before + 2);
  };
  return { cloud, shell, dataDir, scratch, publish, faultsTold, afresh };
}

test('a box that starts on a read-only disk shows what it has, says so, and reports', async ({ skip }) => {
  const disk = smallDisk(DISK_MB) ?? skip('no right to mount a disk');
  const { cloud, shell, dataDir, publish, faultsTold, afresh } = await pairedOn(disk);
  // What was shown without the cloud waits on the disk.
  await cloud.stop();
  const before = shell.stage.shown.length;
  await until('three more pictures', () => shell.stage.shown.length >= before + 3);
  await shell.stop();
  const waiting = shell.stage.shown.slice(before, before + 2).map((one) => one.id);
  disk.remount('ro');
  const kept = contentOf(dataDir);

  await afresh();
  // Killed and come back, it still knows what it has shown on this disk.
  const offline = shell.stage.shown.slice(-2, -1).map((one) => one.id);
  await shell.kill();
  await cloud.start();
  await shell.start();
  const isTold = (id: string) => cloud.seen.plays.some((play) => play.id === id);
  await until('the plays', () => [...waiting, ...offline].every(isTold), 120_000);
  await until('the fault', () => faultsTold()?.includes('disk.readonly'));
  expect(cloud.seen.heartbeats.at(-1)?.state.faults).toContainEqual(
    expect.objectContaining({
      code: 'disk.readonly',
      facts: expect.objectContaining({ unreported_plays_kept: 'until the box restarts' }),
    }),
  );

  publish('r2', ['a', 'b', 'c']);
  cloud.dropSockets();
  await until('the failed download', () =>
    shell.logged.some((line) => line.includes('"disk.readonly"') && line.includes('asset.failed')),
  );
  const shown = shell.stage.shown.length;
  await until('the old pictures', () => shell.stage.shown.length >= shown + 2);
  expect(await shell.stop()).toBe(0);
  expect(contentOf(dataDir)).toEqual(kept);

  disk.remount('rw');
  await afresh();
  await until('the end of the fault', () => faultsTold()?.includes('disk.readonly') === false);
  await until('the new file', () => readdirSync(join(dataDir, 'media')).length === 3);
  expect(cloud.seen.pairings).toBe(1);
});

test('the status of a player on a read-only disk is found where the fault says', async ({ skip }) => {
  const disk = smallDisk(DISK_MB) ?? skip('no right to mount a disk');
  const { shell, scratch, afresh, faultsTold } = await pairedOn(disk);
  await shell.stop();
  disk.remount('ro');
  await afresh();
  await until('the fault', () => faultsTold()?.includes('disk.readonly'));
  const status = z.object({
    state: z.string(),
    faults: z.array(z.object({ code: z.string(), facts: z.object({ working_in: z.string() }).optional() })),
  });
  const [place = ''] = readdirSync(scratch).filter((name) => name.startsWith('placard-'));
  const [copy = ''] = readdirSync(join(scratch, place)).filter((name) => name.startsWith('of-'));
  const dir = join(scratch, place, copy);
  const found = await until('the status', () => {
    const read = status.parse(JSON.parse(readFileSync(join(dir, 'status.json'), 'utf8')));
    return read.faults.some((fault) => fault.code === 'disk.readonly') && read;
  });
  expect(found).toMatchObject({
    state: 'paired',
    faults: [{ code: 'disk.readonly', facts: { working_in: dir } }],
  });
  expect(statSync(join(scratch, place)).mode & 0o077).toBe(0);
});

test('a read-only folder is there for one player alone, and one without media is no folder', ({ skip }) => {
  const disk = smallDisk(4) ?? skip('no right to mount a disk');
  const scratch = tempDir();
  vi.stubEnv('TMPDIR', scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const dir = join(disk.dir, 'player');
  takeDataFolder(dir).release();
  disk.remount('ro');
  const first = takeDataFolder(dir);
  expect(first).toMatchObject({ media: join(dir, 'media'), substitute: expect.stringContaining(scratch) });
  expect(() => takeDataFolder(dir)).toThrow(expect.objectContaining({ code: 'data.locked' }));
  first.release();
  takeDataFolder(dir).release();
  expect(() => takeDataFolder(join(disk.dir, 'other'))).toThrow(
    expect.objectContaining({ code: 'data.unwritable' }),
  );
});

test('a shell starts on a read-only folder, with a profile that its browser can write', ({ skip }) => {
  const disk = smallDisk(4) ?? skip('no right to mount a disk');
  const scratch = tempDir();
  vi.stubEnv('TMPDIR', scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const dir = join(disk.dir, 'player');
  expect(prepareDataFolder(dir)).toBe(null);
  expect(browserPlace(dir)).toEqual({ profileDir: join(dir, 'browser'), env: {} });
  disk.remount('ro');
  expect(prepareDataFolder(dir)).toContain('EROFS');
  disk.remount('rw');
  takeDataFolder(dir).release();
  recordStart(dir, 0);
  disk.remount('ro');
  expect(prepareDataFolder(dir)).toBe(null);
  expect(() => recordStart(dir, 1).end('normal')).not.toThrow();
  expect(browserPlace(dir).profileDir).toContain(scratch);
});
