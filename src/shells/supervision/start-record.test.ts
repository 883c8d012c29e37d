import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { recordStart } from './start-record.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
let folder: string;

beforeEach(() => {
  folder = tempDir();
});

/** Starts at these minutes; whether each of them is in safe mode. */
const starts = (minutes: number[]) =>
  minutes.map((minute) => recordStart(folder, NOW + minute * MINUTE_MS).safeMode);

test('uses software rendering from the fifth start within ten minutes after unclean ends', () => {
  expect(starts([0, 1, 2, 3, 4, 200])).toEqual([false, false, false, false, true, true]);
});

test('ignores starts that lie far apart, and those that ended cleanly', () => {
  expect(starts([0, 5, 10, 15, 20, 25])).toEqual(Array(6).fill(false));
  for (let start = 0; start < 10; start++) {
    const record = recordStart(folder, NOW + 60 * MINUTE_MS + start);
    expect(record.safeMode).toBe(false);
    record.finish('normal');
  }
});

test('passes safe mode on to the next start until one ends in normal mode', () => {
  recordStart(folder, NOW).finish('safe');
  const next = recordStart(folder, NOW + 1);
  expect(next.safeMode).toBe(true);
  next.finish('normal');
  expect(recordStart(folder, NOW + 2).safeMode).toBe(false);
});

test('is not stopped by a damaged record or an unwritable folder', () => {
  writeFileSync(join(folder, 'starts.json'), '{ "sta');
  expect(recordStart(folder, NOW).safeMode).toBe(false);
  writeFileSync(join(folder, 'a-file'), '');
  expect(recordStart(join(folder, 'a-file'), NOW).safeMode).toBe(false);
});
