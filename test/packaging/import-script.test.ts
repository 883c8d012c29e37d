import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { importProvisioning } from '../../src/shells/provisioning/import-file.ts';
import { readProvisioningState } from '../../src/shells/provisioning/provisioning-state.ts';

const SCRIPT = resolve(import.meta.dirname, '../../build/linux/placard-import');
/** Used as the player's user: exists on every system and owns nothing. */
const PLAYER = 'nobody';
const skipReason =
  process.getuid?.() !== 0 || spawnSync('runuser', ['-u', PLAYER, '--', 'test', '-x', tmpdir()]).status !== 0
    ? 'needs root, runuser, and a folder for tests that others may enter'
    : null;

let root: string;
let data: string;

beforeEach(() => {
  root = tempDir();
  data = join(root, 'var/lib/placard');
  mkdirSync(data, { recursive: true });
  mkdirSync(join(root, 'boot/firmware'), { recursive: true });
  execFileSync('chmod', ['755', root]);
  if (skipReason === null) {
    execFileSync('chown', [PLAYER, data]);
  }
});

const run = () =>
  execFileSync('sh', [SCRIPT], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', PLACARD_IMPORT_ROOT: root, PLACARD_IMPORT_USER: PLAYER },
  });

describe.skipIf(skipReason)('importing placard.json from the boot partition', () => {
  test('the file is readable by the player only, is imported, and the original is erased', async () => {
    const file = join(root, 'boot/firmware/placard.json');
    writeFileSync(file, JSON.stringify({ server: 'https://signage.example.com', menuPin: '4711' }));
    writeFileSync(join(root, 'boot/firmware/company.pem'), 'certificate');
    expect(run()).toContain('placard-import: imported');
    expect(existsSync(file)).toBe(false);
    const taken = join(data, 'import/placard.json');
    expect(statSync(taken).mode & 0o777).toBe(0o600);
    expect(statSync(taken).uid).toBe(Number(execFileSync('id', ['-u', PLAYER], { encoding: 'utf8' })));
    expect(readFileSync(join(data, 'import/company.pem'), 'utf8')).toBe('certificate');
    await importProvisioning({ dataDir: data, platform: 'linux', root });
    expect(readProvisioningState(data).settings.server).toBe('https://signage.example.com');
    expect(existsSync(taken)).toBe(false);
  });

  test('nothing happens without the file', () => {
    expect(run()).toBe('');
    expect(existsSync(join(data, 'import'))).toBe(false);
  });

  test('a symbolic link in the folder of the player is not followed as root', () => {
    const theirs = join(root, 'etc');
    mkdirSync(theirs);
    symlinkSync(theirs, join(data, 'import'));
    const file = join(root, 'boot/placard.json');
    writeFileSync(file, '{}');
    expect(run).toThrow(/Permission denied/);
    expect(existsSync(join(theirs, 'placard.json'))).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });
});
