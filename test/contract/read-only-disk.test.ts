import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { acquireDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import { locateBrowserProfile, prepareDataFolder } from '../../src/shells/options/data-folder.ts';
import { recordStart } from '../../src/shells/supervision/start-record.ts';
import { startFakeCloud } from '../support/fake-cloud.ts';
import { mountSmallDisk } from '../support/test-disks.ts';
import { buildManifest } from '../support/manifests.ts';
import { createFakeShell } from '../support/fake-shell.ts';
import { tempDir } from '../support/temp-dir.ts';
import { waitUntil } from '../support/wait-until.ts';

// Real processes on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** More than a player keeps free on a disk; memory is only used for what is written. */
const DISK_MB = 400;

/** Every file below the folder, with its contents. */
function contentOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    files.flatMap((name) => {
      const path = join(dir, name);
      return statSync(path).isFile() ? [[name, readFileSync(path, 'base64')]] : [];
    }),
  );
}

async function startPairedPlayer(disk: { dir: string }) {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const publish = (revision: string, names: string[]) => {
    const built = buildManifest({ revision, playlists: { pl: names.map((name) => [name, 1]) } });
    const assets = built.assets.map((asset) => ({ ...asset, ...cloud.addMedia(asset.id) }));
    cloud.setManifest({ ...built, assets });
  };
  publish('r1', ['a', 'b']);
  const dataDir = join(disk.dir, 'player');
  const scratch = tempDir();
  const shell = createFakeShell({ server: cloud.url, dataDir, env: { TMPDIR: scratch } });
  onTestFinished(() => shell.dispose());
  await shell.start();
  cloud.confirmPairing();
  await waitUntil(
    'both files',
    () => cloud.received.mediaRequests.length === 2 && shell.stage.shown.length >= 2,
  );
  const reportedFaultCodes = () => cloud.received.heartbeats.at(-1)?.state.faults.map((fault) => fault.code);
  /** Shown from now on, by a page that was just opened. */
  const restartWithNewPage = async () => {
    shell.stage.reload();
    const before = shell.stage.shown.length;
    await shell.start();
    await waitUntil('two pictures', () => shell.stage.shown.length >= before + 2);
  };
  return { cloud, shell, dataDir, scratch, publish, reportedFaultCodes, restartWithNewPage };
}

test('a player that starts on a read-only disk plays its media, raises a fault, and reports plays', async ({
  skip,
}) => {
  const disk = mountSmallDisk(DISK_MB) ?? skip('no right to mount a disk');
  const { cloud, shell, dataDir, publish, reportedFaultCodes, restartWithNewPage } =
    await startPairedPlayer(disk);
  // What was shown without the cloud waits on the disk.
  await cloud.stop();
  const before = shell.stage.shown.length;
  await waitUntil('three more pictures', () => shell.stage.shown.length >= before + 3);
  await shell.stop();
  const waiting = shell.stage.shown.slice(before, before + 2).map((one) => one.id);
  disk.remount('ro');
  const contentBefore = contentOf(dataDir);

  await restartWithNewPage();
  // Killed and come back, it still knows what it has shown on this disk.
  const offline = shell.stage.shown.slice(-2, -1).map((one) => one.id);
  await shell.kill();
  await cloud.start();
  await shell.start();
  const isTold = (id: string) => cloud.received.plays.some((play) => play.id === id);
  await waitUntil('the plays', () => [...waiting, ...offline].every(isTold), 120_000);
  await waitUntil('the fault', () => reportedFaultCodes()?.includes('disk.readonly'));
  expect(cloud.received.heartbeats.at(-1)?.state.faults).toContainEqual(
    expect.objectContaining({
      code: 'disk.readonly',
      facts: expect.objectContaining({ unreported_plays_kept: 'until the device restarts' }),
    }),
  );

  publish('r2', ['a', 'b', 'c']);
  cloud.dropSockets();
  await waitUntil('the failed download', () =>
    shell.logLines.some((line) => line.includes('"disk.readonly"') && line.includes('asset.fetch_failed')),
  );
  const shown = shell.stage.shown.length;
  await waitUntil('the old pictures', () => shell.stage.shown.length >= shown + 2);
  expect(await shell.stop()).toBe(0);
  expect(contentOf(dataDir)).toEqual(contentBefore);

  disk.remount('rw');
  await restartWithNewPage();
  await waitUntil('the end of the fault', () => reportedFaultCodes()?.includes('disk.readonly') === false);
  await waitUntil('the new file', () => readdirSync(join(dataDir, 'media')).length === 3);
  expect(cloud.received.pairingStarts).toBe(1);
});

test('the status file of a player on a read-only disk is where the fault says', async ({ skip }) => {
  const disk = mountSmallDisk(DISK_MB) ?? skip('no right to mount a disk');
  const { shell, scratch, restartWithNewPage, reportedFaultCodes } = await startPairedPlayer(disk);
  await shell.stop();
  disk.remount('ro');
  await restartWithNewPage();
  await waitUntil('the fault', () => reportedFaultCodes()?.includes('disk.readonly'));
  const status = z.object({
    state: z.string(),
    faults: z.array(z.object({ code: z.string(), facts: z.object({ working_in: z.string() }).optional() })),
  });
  const [place = ''] = readdirSync(scratch).filter((name) => name.startsWith('placard-'));
  const [copy = ''] = readdirSync(join(scratch, place)).filter((name) => name.startsWith('of-'));
  const dir = join(scratch, place, copy);
  const found = await waitUntil('the status', () => {
    const read = status.parse(JSON.parse(readFileSync(join(dir, 'status.json'), 'utf8')));
    return read.faults.some((fault) => fault.code === 'disk.readonly') && read;
  });
  expect(found).toMatchObject({
    state: 'paired',
    faults: [{ code: 'disk.readonly', facts: { working_in: dir } }],
  });
  expect(statSync(join(scratch, place)).mode & 0o077).toBe(0);
});

test('a read-only folder is used by one player only, and one without media is rejected', ({ skip }) => {
  const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
  const scratch = tempDir();
  vi.stubEnv('TMPDIR', scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const dir = join(disk.dir, 'player');
  acquireDataFolder(dir).release();
  disk.remount('ro');
  const first = acquireDataFolder(dir);
  expect(first).toMatchObject({
    mediaDir: join(dir, 'media'),
    substituteDir: expect.stringContaining(scratch),
  });
  expect(() => acquireDataFolder(dir)).toThrow(expect.objectContaining({ code: 'data.locked' }));
  first.release();
  acquireDataFolder(dir).release();
  expect(() => acquireDataFolder(join(disk.dir, 'other'))).toThrow(
    expect.objectContaining({ code: 'data.unwritable' }),
  );
});

test('a shell starts on a read-only folder, with a writable profile for its browser', ({ skip }) => {
  const disk = mountSmallDisk(4) ?? skip('no right to mount a disk');
  const scratch = tempDir();
  vi.stubEnv('TMPDIR', scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const dir = join(disk.dir, 'player');
  prepareDataFolder(dir);
  expect(locateBrowserProfile(dir)).toEqual({ profileDir: join(dir, 'browser'), env: {} });
  disk.remount('ro');
  expect(() => prepareDataFolder(dir)).toThrow('EROFS');
  disk.remount('rw');
  acquireDataFolder(dir).release();
  recordStart(dir, 0);
  disk.remount('ro');
  prepareDataFolder(dir);
  expect(() => recordStart(dir, 1).finish('normal')).not.toThrow();
  expect(locateBrowserProfile(dir).profileDir).toContain(scratch);
});
