import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openShellLog } from './shell-log.ts';

describe("the shell's log", () => {
  test('is JSON with event names', async () => {
    const folder = tempDir();
    openShellLog(folder).info({ shell: 'headless' }, 'player.started');
    const line: unknown = JSON.parse(await readFile(join(folder, 'logs', 'shell.log'), 'utf8'));
    expect((await stat(join(folder, 'logs', 'shell.log'))).mode & 0o777).toBe(0o600);
    expect(line).toMatchObject({ shell: 'headless', msg: 'player.started', time: expect.any(String) });
  });

  test('has neither passwords of addresses nor one-time addresses of the page', async () => {
    const folder = tempDir();
    openShellLog(folder).info(
      {
        chromium_switches: ['--proxy-server=http://shop:opensesame@proxy.example'],
        reason: "ERR_FAILED (-2) loading 'http://127.0.0.1:4711/enter/Ab_c-1'",
      },
      'player.started',
    );
    const text = await readFile(join(folder, 'logs', 'shell.log'), 'utf8');
    expect(text).toContain('proxy.example');
    expect(text).not.toMatch(/opensesame|Ab_c-1/);
  });

  test('is rotated when it has grown, and only one old file is kept', async () => {
    const folder = tempDir();
    await mkdir(join(folder, 'logs'));
    const path = join(folder, 'logs', 'shell.log');
    await writeFile(path, 'x'.repeat(6 * 1024 * 1024));
    await writeFile(`${path}.1`, 'older');
    openShellLog(folder).info({}, 'player.started');
    expect((await stat(path)).size).toBeLessThan(1_000);
    expect((await stat(`${path}.1`)).size).toBe(6 * 1024 * 1024);
  });

  test('is rotated while the player runs, too', async () => {
    const folder = tempDir();
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
      const folder = tempDir();
      await mkdir(join(folder, 'logs'));
      await symlink('/dev/full', join(folder, 'logs', 'shell.log'));
      expect(() => openShellLog(folder).info({}, 'player.started')).not.toThrow();
    },
  );

  test('does not fail when its folder cannot be created', async () => {
    const folder = tempDir();
    await writeFile(join(folder, 'logs'), 'not a folder');
    expect(() => openShellLog(folder).info({}, 'player.started')).not.toThrow();
  });
});
