import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createMachine, platformName, rebootCommand, windowsBootId } from './machine.ts';

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

/** Stands for `reg.exe`, and says this when it is asked as the player asks. */
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

test('Windows numbers its boots', () => {
  expect(windowsBootId(registry(`\n${KEY}\n    BootId    REG_DWORD    0x1a3\n`))).toBe('windows-419');
  expect(windowsBootId(registry(`\r\n${KEY}\r\n    BootId    REG_DWORD    0x1a4\r\n\r\n`))).toBe(
    'windows-420',
  );
});

test('a Windows that does not tell the number has none', () => {
  expect(windowsBootId(registry(`\n${KEY}\n    BaseTime    REG_DWORD    0x1a3\n`))).toBe(null);
  expect(windowsBootId(join(tempDir(), 'no-such-program'))).toBe(null);
});
