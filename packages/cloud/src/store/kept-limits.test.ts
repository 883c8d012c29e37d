import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createKeptLimits } from './kept-limits.ts';

const log = pino({ level: 'silent' });

function fileInFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'placard-limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'cloud.limits.json');
}

test('what was counted counts for the next process, but for callers that are not kept', async () => {
  const file = fileInFolder();
  const open = (nowMs: number) => {
    const limits = createKeptLimits({ file, clock: { nowMs: () => nowMs }, log });
    const limiter = limits.limiter('requests', 60_000, (caller) => !caller.startsWith('device '));
    return { limits, limiter };
  };
  const first = open(1000);
  for (const caller of ['key a', 'device b']) expect(first.limiter.take(caller, 1, 1000).allowed).toBe(true);
  await first.limits.write();
  const { limiter } = open(31_000);
  expect(limiter.take('key a', 1, 31_000)).toMatchObject({ allowed: false, resetSeconds: 30 });
  expect(limiter.take('device b', 1, 31_000).allowed).toBe(true);
  expect(limiter.take('key a', 1, 61_000).allowed).toBe(true);
});

test('of very many callers those are written that have used half of what they may', async () => {
  const file = fileInFolder();
  const open = () => createKeptLimits({ file, clock: { nowMs: () => 1000 }, log });
  const first = open();
  const before = first.limiter('pairing', 60_000);
  for (let n = 0; n < 50_000; n++) before.take(`2001:db8:0:${n.toString(16)}::/64`, 4, 1000);
  for (let n = 0; n < 2; n++) before.take('192.0.2.1', 4, 1000);
  await first.write();
  expect(statSync(file).size).toBeLessThan(1000);
  expect(open().limiter('pairing', 60_000).look('192.0.2.1', 4, 1000).remaining).toBe(2);
});

test('a file that a crash has spoilt, or left half written, hinders no start', () => {
  const file = fileInFolder();
  writeFileSync(file, '{"requests":{"1 key a":[10');
  writeFileSync(`${file}.new`, '{"requ');
  const limits = createKeptLimits({ file, clock: { nowMs: () => 1000 }, log });
  expect(limits.limiter('requests', 60_000).take('key a', 1, 1000).allowed).toBe(true);
  expect(existsSync(`${file}.new`)).toBe(false);
  expect(readFileSync(file, 'utf8')).toContain('requests');
});
