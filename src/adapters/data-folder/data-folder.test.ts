import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { takeDataFolder } from './data-folder.ts';
import { createStatusFile } from './status-file.ts';

test('a folder is made, and is there for one player alone', () => {
  const dir = join(tempDir(), 'deep', 'player');
  const first = takeDataFolder(dir);
  expect(readdirSync(dir)).toContain('media');
  expect(() => takeDataFolder(dir)).toThrow(expect.objectContaining({ code: 'data.locked', retry: 'never' }));
  first.release();
  takeDataFolder(dir).release();
});

test('a player that was killed leaves the folder free', async () => {
  const dir = tempDir();
  const holder = fork(new URL('../../../test/support/hold-data-folder.ts', import.meta.url), [dir], {
    execArgv: [],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  expect(() => takeDataFolder(dir)).toThrow(expect.objectContaining({ code: 'data.locked' }));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  takeDataFolder(dir).release();
});

test('a folder that cannot be made is unwritable, and the fault names it', () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'file'), '');
  expect(() => takeDataFolder(join(dir, 'file'))).toThrow(
    expect.objectContaining({
      code: 'data.unwritable',
      facts: expect.objectContaining({ dir: join(dir, 'file') }),
    }),
  );
});

test('the status is replaced as a whole', async () => {
  const dir = tempDir();
  const status = createStatusFile({ file: join(dir, 'status.json') });
  await status.write({ state: 'pairing' });
  await status.write({ state: 'paired' });
  expect(JSON.parse(readFileSync(join(dir, 'status.json'), 'utf8'))).toEqual({ state: 'paired' });
  expect(readdirSync(dir)).toEqual(['status.json']);
});
