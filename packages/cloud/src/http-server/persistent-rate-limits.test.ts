import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createPersistentRateLimits } from './persistent-rate-limits.ts';

const log = pino({ level: 'silent' });

const fileInFolder = () => join(tempDir(), 'cloud.limits.json');

test('counts survive a restart', async () => {
  const file = fileInFolder();
  const open = (nowMs: number) => {
    const limits = createPersistentRateLimits({ file, clock: { nowMs: () => nowMs }, log });
    const limiter = limits.createLimiter('requests', 60_000);
    return { limits, limiter };
  };
  const first = open(1000);
  expect(first.limiter.take('key a', 1, 1000).allowed).toBe(true);
  await first.limits.save();
  const { limiter } = open(31_000);
  expect(limiter.take('key a', 1, 31_000)).toMatchObject({ allowed: false, resetSeconds: 30 });
  expect(limiter.take('key a', 1, 61_000).allowed).toBe(true);
});

test('with very many callers, only those at half of their limit or more are saved', async () => {
  const file = fileInFolder();
  const open = () => createPersistentRateLimits({ file, clock: { nowMs: () => 1000 }, log });
  const first = open();
  const before = first.createLimiter('pairing', 60_000);
  for (let n = 0; n < 50_000; n++) {
    before.take(`2001:db8:0:${n.toString(16)}::/64`, 4, 1000);
  }
  for (let n = 0; n < 2; n++) {
    before.take('192.0.2.1', 4, 1000);
  }
  await first.save();
  expect(statSync(file).size).toBeLessThan(1000);
  expect(open().createLimiter('pairing', 60_000).peek('192.0.2.1', 4, 1000).remaining).toBe(2);
});

test('a damaged or half-written file does not prevent the start', () => {
  const file = fileInFolder();
  writeFileSync(file, '{"requests":{"1 key a":[10');
  writeFileSync(`${file}.new`, '{"requ');
  const limits = createPersistentRateLimits({ file, clock: { nowMs: () => 1000 }, log });
  expect(limits.createLimiter('requests', 60_000).take('key a', 1, 1000).allowed).toBe(true);
  expect(existsSync(`${file}.new`)).toBe(false);
  expect(readFileSync(file, 'utf8')).toContain('requests');
});
