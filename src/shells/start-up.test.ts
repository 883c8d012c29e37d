import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canUseSandbox } from './chromium/sandbox.ts';
import { prepareDataFolder } from './data-folder.ts';
import { findElectronBinary } from './electron-binary.ts';
import { runElectron } from './run-electron.ts';
import { openShellLog } from './shell-log.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-start-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the data folder', () => {
  test('is created for the player only', async () => {
    const data = join(folder, 'deep', 'player');
    expect(prepareDataFolder(data)).toBeNull();
    expect((await stat(data)).mode & 0o777).toBe(0o700);
  });

  test('is reported in one sentence, with what to do, when it cannot be created', async () => {
    await writeFile(join(folder, 'a-file'), '');
    const data = join(folder, 'a-file', 'player');
    expect(prepareDataFolder(data)).toMatch(/cannot be written.*--data/);
    expect(prepareDataFolder(data)).toContain(data);
  });
});

describe("the shell's log", () => {
  test('is JSON with event names', async () => {
    openShellLog(folder).info({ shell: 'headless' }, 'player.started');
    const line: unknown = JSON.parse(await readFile(join(folder, 'logs', 'shell.log'), 'utf8'));
    expect((await stat(join(folder, 'logs', 'shell.log'))).mode & 0o777).toBe(0o600);
    expect(line).toMatchObject({ shell: 'headless', msg: 'player.started', time: expect.any(String) });
  });

  test('is rotated when it has grown, and only one old file is kept', async () => {
    await mkdir(join(folder, 'logs'));
    const path = join(folder, 'logs', 'shell.log');
    await writeFile(path, 'x'.repeat(6 * 1024 * 1024));
    await writeFile(`${path}.1`, 'older');
    openShellLog(folder).info({}, 'player.started');
    expect((await stat(path)).size).toBeLessThan(1_000);
    expect((await stat(`${path}.1`)).size).toBe(6 * 1024 * 1024);
  });

  test('is rotated while the player runs, too', async () => {
    const log = openShellLog(folder);
    log.info({}, 'player.started');
    const path = join(folder, 'logs', 'shell.log');
    await writeFile(path, 'x'.repeat(6 * 1024 * 1024));
    log.info({}, 'window.opened');
    expect((await stat(path)).size).toBeLessThan(1_000);
  });

  test.runIf(process.platform === 'linux')(
    'loses a line, but does not fail, when the disk is full',
    async () => {
      await mkdir(join(folder, 'logs'));
      await symlink('/dev/full', join(folder, 'logs', 'shell.log'));
      expect(() => openShellLog(folder).info({}, 'player.started')).not.toThrow();
    },
  );

  test('does not fail when its folder cannot be created', async () => {
    await writeFile(join(folder, 'logs'), 'not a folder');
    expect(() => openShellLog(folder).info({}, 'player.started')).not.toThrow();
  });
});

async function program(script: string): Promise<string> {
  const path = join(folder, 'program.sh');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('Electron', () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };

  test('is missing when its binary was never downloaded', () => {
    expect(findElectronBinary({ ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'nowhere') })).toBeNull();
  });

  test('passes its exit code on', async () => {
    const binary = await program('test "$1" = main.js && test "$2" = --server && exit 75');
    const exitCode = await runElectron({
      binary,
      args: ['main.js', '--server'],
      log,
      signal: new AbortController().signal,
    });
    expect(exitCode).toBe(75);
  });

  test('is asked to end when the player is', async () => {
    const binary = await program('trap "exit 0" TERM; while :; do sleep 0.05; done');
    const ending = new AbortController();
    const ended = runElectron({ binary, args: [], log, signal: ending.signal });
    ending.abort();
    // Ended by its own handler, or by the signal if that came first.
    expect([0, 1]).toContain(await ended);
  });

  test('that cannot be started is a failure, not a crash', async () => {
    const signal = new AbortController().signal;
    expect(await runElectron({ binary: join(folder, 'none'), args: [], log, signal })).toBe(1);
  });
});

test('never allows root a sandbox', () => {
  expect(canUseSandbox({ platform: 'linux', uid: 0, isBundled: false })).toBe(false);
  expect(canUseSandbox({ platform: 'linux', uid: 1000, isBundled: false })).toBe(true);
  expect(canUseSandbox({ platform: 'win32', uid: undefined, isBundled: false })).toBe(true);
});
