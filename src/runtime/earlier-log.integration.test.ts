import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { TestContext } from 'vitest';
import { z } from 'zod';
import { acquireDataFolder } from '../adapters/data-folder/data-folder.ts';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import { fetchLogs } from '../../test/support/fetch-logs.ts';
import { publishPlaylist } from '../../test/support/manifests.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

// Real processes on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

async function setUp({ onTestFinished }: TestContext) {
  const dataDir = join(tempDir(onTestFinished), 'player');
  const logPath = join(dataDir, 'logs', 'runtime.log');
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  publishPlaylist(cloud, ['a', 'b']);
  const shell = createFakeShell({
    server: cloud.url,
    dataDir,
    env: { PLACARD_LOG_FILE: logPath, PLACARD_LOG_LEVEL: 'info' },
  });
  onTestFinished(() => shell.dispose());
  return { dataDir, logPath, cloud, shell };
}

const line = z.looseObject({ pid: z.int(), msg: z.string(), error: z.string().optional() });
const parseLines = (text = '') =>
  text
    .split('\n')
    .filter(Boolean)
    .map((each) => line.parse(JSON.parse(each)));

test('the logs have how earlier runs ended, and what the last one logged until kill -9', async (context) => {
  const { dataDir, cloud, shell } = await setUp(context);
  const otherPlayer = acquireDataFolder(dataDir);
  await shell.start();
  await waitUntil('the end of the run that fails', () => shell.child === null);
  otherPlayer.release();

  await shell.start();
  const killedPid = shell.child?.pid;
  cloud.confirmPairing();
  await waitUntil('a play', () => cloud.received.plays.length > 0);
  await shell.kill();
  await shell.start();
  const pid = shell.child?.pid;
  const files = await fetchLogs(cloud);

  const earlier = parseLines(files.get('runtime-earlier.log'));
  const failure = earlier.find(({ msg }) => msg === 'runtime.failed');
  expect(failure?.error).toMatch(/data\.locked.*\n {4}at /);
  const killed = earlier.filter((each) => each.pid === killedPid).map(({ msg }) => msg);
  expect(killed).toEqual(expect.arrayContaining(['runtime.started', 'device.paired', 'play.ended']));
  expect(new Set(earlier.map((each) => each.pid))).toEqual(new Set([failure?.pid, killedPid]));
  expect(new Set(parseLines(files.get('runtime.log')).map((each) => each.pid))).toEqual(new Set([pid]));
});

test.runIf(process.platform === 'linux')(
  'a disk too full for the log stops neither the picture nor the logs of this run',
  async (context) => {
    const { dataDir, logPath, cloud, shell } = await setUp(context);
    mkdirSync(join(dataDir, 'logs'), { recursive: true });
    symlinkSync('/dev/full', logPath);
    await shell.start();
    cloud.confirmPairing();
    await waitUntil('a play', () => cloud.received.plays.length > 0);
    const files = await fetchLogs(cloud);
    expect(files.get('runtime-earlier.log')).toBe('');
    const events = parseLines(files.get('runtime.log')).map(({ msg }) => msg);
    expect(events).toEqual(expect.arrayContaining(['runtime.started', 'play.ended']));
  },
);
