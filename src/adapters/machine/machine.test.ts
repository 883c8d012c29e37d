import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createMachine, platformName, rebootCommand, windowsBootId } from './machine.ts';

const machine = (dataDir: string) => createMachine({ dataDir, dryRun: true, log: createRecordingLog() });

test('a data folder keeps its serial, and another one on the same device has another', () => {
  const dir = tempDir();
  const first = machine(dir).serial;
  expect(first.length).toBeGreaterThan(8);
  expect(machine(dir).serial).toBe(first);
  expect(machine(tempDir()).serial).not.toBe(first);
});

test('the boot id stays the same within a boot', () => {
  expect(machine(tempDir()).bootId).toBe(machine(tempDir()).bootId);
});

test('a dry run logs the reboot and does not reboot', async () => {
  const log = createRecordingLog();
  await createMachine({ dataDir: tempDir(), dryRun: true, log }).reboot();
  expect(log.events).toEqual([
    { level: 'warn', event: 'machine.reboot_requested', details: { dry_run: true } },
  ]);
});

test('uses the reboot command of each system', () => {
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

test('takes the boot id from the kernel where there is one', () => {
  const known = existsSync('/proc/sys/kernel/random/boot_id');
  expect(machine(tempDir()).bootId).toMatch(known ? /^[0-9a-f-]{36}$/ : /^boot-\d+$/);
});

/** A stand-in for `reg.exe` that prints this text when it is called with the expected arguments. */
function registry(says: string): string {
  const file = join(tempDir(), 'reg');
  writeFileSync(
    file,
    `#!/bin/sh
case "$1 $2 $3 $4" in 'query HKLM'*'PrefetchParameters /v BootId') ;; *) exit 1 ;; esac
cat <<'END'
${says}
END
`,
    { mode: 0o755 },
  );
  return file;
}

const KEY =
  'HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters';

test('uses the boot number of Windows', () => {
  expect(windowsBootId(registry(`\n${KEY}\n    BootId    REG_DWORD    0x1a3\n`))).toBe('windows-419');
  expect(windowsBootId(registry(`\r\n${KEY}\r\n    BootId    REG_DWORD    0x1a4\r\n\r\n`))).toBe(
    'windows-420',
  );
});

test('has no boot number where Windows does not report it', () => {
  expect(windowsBootId(registry(`\n${KEY}\n    BaseTime    REG_DWORD    0x1a3\n`))).toBe(null);
  expect(windowsBootId(join(tempDir(), 'no-such-program'))).toBe(null);
});
