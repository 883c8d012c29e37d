import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createMachine, platformName, rebootCommand } from './machine.ts';

const machine = (dataDir: string) => createMachine({ dataDir, dryRun: true, log: createQuietLog() });

test('a data folder keeps its serial, and another one on the same box has another', () => {
  const dir = tempDir();
  const first = machine(dir).serial;
  expect(first.length).toBeGreaterThan(8);
  expect(machine(dir).serial).toBe(first);
  expect(machine(tempDir()).serial).not.toBe(first);
});

test('the boot id stays the same within a boot', () => {
  expect(machine(tempDir()).bootId).toBe(machine(tempDir()).bootId);
});

test('a dry run says that it would reboot, and does not', async () => {
  const log = createQuietLog();
  await createMachine({ dataDir: tempDir(), dryRun: true, log }).reboot();
  expect(log.events).toEqual([{ level: 'warn', event: 'machine.reboot', facts: { dry_run: true } }]);
});

test('every system is asked in its own way', () => {
  expect(rebootCommand('win32')).toEqual(['shutdown', ['/r', '/f', '/t', '5']]);
  expect(rebootCommand('linux')).toEqual(['systemctl', ['reboot']]);
});

test.each([
  ['linux', 'x64', 'linux'],
  ['linux', 'arm64', 'linux-arm64'],
  ['win32', 'x64', 'windows'],
  ['darwin', 'arm64', 'macos-arm64'],
] as const)('%s on %s is called %s', (os, arch, name) => {
  expect(platformName(os, arch)).toBe(name);
});

test('the boot id comes from the kernel where there is one', () => {
  const known = existsSync('/proc/sys/kernel/random/boot_id');
  expect(machine(tempDir()).bootId).toMatch(known ? /^[0-9a-f-]{36}$/ : /^boot-\d+$/);
});
