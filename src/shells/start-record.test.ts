import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordStart } from './start-record.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-starts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Whether each of some starts, minutes apart, is a safe one. */
const starts = (minutes: number[]) =>
  minutes.map((minute) => recordStart(folder, NOW + minute * MINUTE_MS).safeMode);

it('draws in software from the fifth start in ten minutes that had not ended in order', () => {
  expect(starts([0, 1, 2, 3, 4, 200])).toEqual([false, false, false, false, true, true]);
});

it('takes starts that lie far apart, and those that ended in order, for nothing', () => {
  expect(starts([0, 5, 10, 15, 20, 25])).toEqual(Array(6).fill(false));
  for (let start = 0; start < 10; start++) {
    const record = recordStart(folder, NOW + 60 * MINUTE_MS + start);
    expect(record.safeMode).toBe(false);
    record.end('normal');
  }
});

it('hands safe mode on to the next start until one ends as a normal one', () => {
  recordStart(folder, NOW).end('safe');
  const next = recordStart(folder, NOW + 1);
  expect(next.safeMode).toBe(true);
  next.end('normal');
  expect(recordStart(folder, NOW + 2).safeMode).toBe(false);
});

it('is not held up by a damaged record, nor by a folder that cannot be written', () => {
  writeFileSync(join(folder, 'starts.json'), '{ "sta');
  expect(recordStart(folder, NOW).safeMode).toBe(false);
  writeFileSync(join(folder, 'a-file'), '');
  expect(recordStart(join(folder, 'a-file'), NOW).safeMode).toBe(false);
});
