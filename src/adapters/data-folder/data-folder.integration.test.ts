import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { acquireDataFolder } from './data-folder.ts';
import { createStatusFile } from './status-file.ts';

test('creates the folder and locks it for one player', () => {
  const dir = join(tempDir(), 'deep', 'player');
  const first = acquireDataFolder(dir);
  expect(readdirSync(dir)).toContain('media');
  expect(() => acquireDataFolder(dir)).toThrow(
    expect.objectContaining({ code: 'data.locked', retry: 'never' }),
  );
  first.release();
  acquireDataFolder(dir).release();
});

test('a killed player leaves the folder unlocked', async () => {
  const dir = tempDir();
  const holder = fork(new URL('../../../test/support/hold-data-folder.ts', import.meta.url), [dir], {
    execArgv: [],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  expect(() => acquireDataFolder(dir)).toThrow(expect.objectContaining({ code: 'data.locked' }));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  acquireDataFolder(dir).release();
});

test('a folder that cannot be created is a data.unwritable fault with its path', () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'file'), '');
  expect(() => acquireDataFolder(join(dir, 'file'))).toThrow(
    expect.objectContaining({
      code: 'data.unwritable',
      details: expect.objectContaining({ dir: join(dir, 'file') }),
    }),
  );
});

test('replaces the status file atomically', async () => {
  const dir = tempDir();
  const status = createStatusFile({ file: join(dir, 'status.json') });
  await status.write({ state: 'pairing' });
  await status.write({ state: 'paired' });
  expect(JSON.parse(readFileSync(join(dir, 'status.json'), 'utf8'))).toEqual({ state: 'paired' });
  expect(readdirSync(dir)).toEqual(['status.json']);
});
