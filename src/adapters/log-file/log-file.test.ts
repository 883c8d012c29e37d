import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openLogFile, readLogEnd } from './log-file.ts';

const newPath = () => join(tempDir(), 'logs', 'some.log');

test('the end of a log is what was appended last, also after a rotation', async () => {
  const path = newPath();
  const append = openLogFile(path);
  append('one\n');
  append('two\n');
  writeFileSync(path, 'x'.repeat(6 * 1024 * 1024 - 1).concat('\n'), { flag: 'a' });
  append('three\n');
  append('four\n');
  expect(readFileSync(path, 'utf8')).toBe('three\nfour\n');
  expect(statSync(`${path}.1`).size).toBeGreaterThan(6 * 1024 * 1024);
  expect(await readLogEnd(path, 8), 'whole lines').toBe('four\n');
  expect(await readLogEnd(path, 12)).toBe('three\nfour\n');
  const long = await readLogEnd(path, 7 * 1024 * 1024);
  expect(long.startsWith('one\ntwo\nxxx')).toBe(true);
  expect(long.endsWith('xxx\nthree\nfour\n')).toBe(true);
});

test('neither what is appended while the end is read nor a rotation changes it', async () => {
  const path = newPath();
  const append = openLogFile(path);
  append('before\n');
  const reading = readLogEnd(path, 1_000);
  append('after\n');
  writeFileSync(path, 'x'.repeat(6 * 1024 * 1024), { flag: 'a' });
  append('later\n');
  expect(await reading).toBe('before\n');
});

test('the end of a log that does not exist, or that is no file, is empty', async () => {
  const path = newPath();
  expect(await readLogEnd(path, 1_000)).toBe('');
  expect(await readLogEnd(tempDir(), 1_000)).toBe('');
});
