import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { importProvisioning } from '../../src/shells/provisioning/import-file.ts';
import { readProvisioningState } from '../../src/shells/provisioning/provisioning-state.ts';

const SCRIPT = resolve(import.meta.dirname, '../../build/linux/placard-stick');
/** Used as the player's user: exists on every system and owns nothing. */
const PLAYER = 'nobody';
const skipReason =
  process.getuid?.() !== 0 || spawnSync('runuser', ['-u', PLAYER, '--', 'test', '-x', tmpdir()]).status !== 0
    ? 'needs root, runuser, and a folder for tests that others may enter'
    : null;

let root: string;
let data: string;
/** Folder with the contents of the USB stick. */
let stick: string;

/** Stubs of system programs that need a real machine. Each records its arguments. */
const PROGRAMS = {
  mount: 'cp -R "$ROOT/stick/." "$6"',
  umount: 'rm -r "$1"',
  systemctl: 'test -e "$ROOT/desktop"',
  findmnt: 'test -e "$ROOT/mounted"',
};

beforeEach(() => {
  root = tempDir();
  data = join(root, 'var/lib/placard');
  stick = join(root, 'stick');
  for (const folder of [data, stick, join(root, 'bin')]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const [name, does] of Object.entries(PROGRAMS)) {
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\necho "${name} $*" >>"$ROOT/calls"\n${does}\n`, {
      mode: 0o755,
    });
  }
  execFileSync('chmod', ['755', root]);
  if (skipReason === null) {
    execFileSync('chown', [PLAYER, data]);
  }
});

const run = (what: 'wanted' | 'bring') =>
  spawnSync('sh', [SCRIPT, what, '/dev/sda1'], {
    encoding: 'utf8',
    env: {
      LC_ALL: 'C',
      PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
      ROOT: root,
      PLACARD_IMPORT_ROOT: root,
      PLACARD_IMPORT_USER: PLAYER,
    },
  });
const calls = () => readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n');
const taken = () => join(data, 'import/stick/placard.json');
const put = (name: string, text: string) => writeFileSync(join(stick, name), text);

describe('a USB stick', () => {
  test('is read while the player is not paired', () => {
    expect(run('wanted').status).toBe(0);
  });

  test.each(['desktop', 'mounted'])('is ignored when the system manages it: %s', (what) => {
    writeFileSync(join(root, what), '');
    expect(run('wanted').status).toBe(1);
  });

  test('is ignored when the player is paired', () => {
    const identity = { 'https://signage.example.com': { deviceId: 'dev_1', deviceToken: 'token' } };
    writeFileSync(join(data, 'identity.json'), JSON.stringify(identity));
    expect(run('wanted').status).toBe(1);
  });
});

describe.skipIf(skipReason)('importing from a USB stick', () => {
  test('the files are readable by the player only, and imported; the stick is mounted read-only', async () => {
    put('placard.json', JSON.stringify({ server: 'https://signage.example.com' }));
    put('company.pem', 'certificate');
    put('films.mp4', 'film');
    expect(run('bring')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('imported placard.json'),
    });
    expect(calls()).toEqual([
      `mount -t vfat,exfat -o ro,nodev,nosuid,noexec /dev/sda1 ${root}/run/placard-stick`,
      `umount ${root}/run/placard-stick`,
    ]);
    expect(statSync(taken()).mode & 0o777).toBe(0o600);
    expect(statSync(taken()).uid).toBe(Number(execFileSync('id', ['-u', PLAYER], { encoding: 'utf8' })));
    expect(readFileSync(join(data, 'import/stick/company.pem'), 'utf8')).toBe('certificate');
    expect(existsSync(join(data, 'import/stick/films.mp4'))).toBe(false);
    expect(await importProvisioning({ dataDir: data, platform: 'linux', root })).toMatchObject({
      kind: 'imported',
    });
    expect(readProvisioningState(data).settings.server).toBe('https://signage.example.com');
  });

  test('without a placard.json nothing is imported, and files of an earlier stick are kept', () => {
    put('placard.json', '{}');
    run('bring');
    rmSync(join(stick, 'placard.json'));
    expect(run('bring')).toMatchObject({ status: 0, stdout: '' });
    expect(existsSync(taken())).toBe(true);
  });

  test('size and number of the files are limited', () => {
    put('placard.json', 'x'.repeat(10_000_000));
    for (let n = 0; n < 100; n++) {
      put(`${n}.pem`, 'certificate');
    }
    run('bring');
    expect(statSync(taken()).size).toBe(65_537);
    expect(
      execFileSync('ls', [join(data, 'import/stick')], { encoding: 'utf8' })
        .trim()
        .split('\n'),
    ).toHaveLength(9);
  });

  test('a symbolic link in the folder of the player is not followed as root', () => {
    const theirs = join(root, 'etc');
    mkdirSync(theirs);
    mkdirSync(join(data, 'import'));
    symlinkSync(theirs, join(data, 'import/stick'));
    put('placard.json', '{}');
    run('bring');
    expect(existsSync(join(theirs, 'placard.json'))).toBe(false);
  });
});
