import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manifestText } from '../../src/core/update/manifest.ts';
import {
  ARCH,
  boxWithPlayer,
  cannotUpdate,
  handGoodVersion,
  type DebOptions,
  type UpdateBox,
} from './update-box.ts';

if (cannotUpdate) process.stderr.write(`SKIPPED: all tests of the update helper: ${cannotUpdate}\n`);

let box: UpdateBox;

/** A good 0.2.0 lies in the inbox. */
const handNewVersion = (options: Partial<DebOptions> = {}): void => handGoodVersion(box, options);

function afterRun() {
  box.run();
  return {
    ...box.state(),
    player: box.player(),
    inbox: readdirSync(box.inbox),
    restarted: box.systemctlCalls().includes('--no-block restart placard.service'),
  };
}

const refused = (code: string) =>
  expect.objectContaining({
    phase: 'idle',
    outcome: 'failed',
    code,
    player: '0.1.0',
    inbox: [],
    restarted: false,
  });

const now = () => ({
  ...box.state(),
  player: box.player(),
  blocked: box.blocked(),
  kept: box.keptPackages(),
});

const back = (code: string) => ({
  phase: 'idle',
  outcome: 'rolled_back',
  code,
  from: '0.1.0',
  to: '0.2.0',
  player: '0.1.0',
  blocked: ['0.2.0'],
  kept: '0.1.0.deb',
});

describe.skipIf(cannotUpdate)('the update helper', () => {
  beforeEach(() => {
    box = boxWithPlayer();
  });
  afterEach(() => box.remove());

  describe('with a good update', () => {
    test('installs it, restarts the player and puts it on trial', () => {
      handNewVersion();
      box.run();
      expect(box.player()).toBe('0.2.0');
      expect(box.state()).toMatchObject({ phase: 'trial', outcome: 'trial', from: '0.1.0', to: '0.2.0' });
      expect(box.systemctlCalls()).toContain('--no-block restart placard.service');
      expect(box.systemctlCalls()).toContain('start placard-update.timer');
      expect(readdirSync(box.inbox)).toEqual([]);
    });

    test('confirms it when the new player says that it is healthy, and keeps its package as the next way back', () => {
      handNewVersion();
      box.run();
      box.playerStarts();
      box.minutesPass(2);
      box.run();
      expect(box.state()?.phase).toBe('trial');
      box.playerIsHealthy('0.2.0');
      box.forgetSystemctlCalls();
      box.run();
      expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed', from: '0.1.0', to: '0.2.0' });
      expect(box.keptPackages()).toBe('0.2.0.deb');
      expect(box.systemctlCalls()).toEqual(['stop placard-update.timer']);
      expect(box.blocked()).toEqual([]);
    });

    test('does not take the health of the version before for that of the new one', () => {
      box.playerIsHealthy('0.1.0');
      handNewVersion();
      box.run();
      box.playerIsHealthy('0.1.0');
      box.run();
      expect(box.state()?.phase).toBe('trial');
    });

    test('does not believe in health that was claimed before the trial', () => {
      box.playerIsHealthy('0.2.0');
      handNewVersion();
      box.run();
      expect(box.state()?.phase).toBe('trial');
    });

    test('takes no other update during the trial', () => {
      handNewVersion();
      box.run();
      const next = box.deb({ version: '0.3.0' });
      box.hand(next, box.manifestOf(next, '0.3.0'));
      box.run();
      expect(box.player()).toBe('0.2.0');
      expect(readdirSync(box.inbox)).toEqual([]);
    });

    test('takes a second update after the first, and counts its crashes by themselves', () => {
      handNewVersion();
      box.run();
      for (let start = 0; start < 3; start++) box.playerStarts();
      box.playerIsHealthy('0.2.0');
      box.run();
      const next = box.deb({ version: '0.3.0' });
      box.hand(next, box.manifestOf(next, '0.3.0'));
      box.run();
      for (let start = 0; start < 3; start++) box.playerStarts();
      box.run();
      expect(box.player()).toBe('0.3.0');
      expect(box.keptPackages()).toBe('0.2.0.deb 0.3.0.deb');
    });

    test('keeps packages where the player can neither read nor swap them', () => {
      handNewVersion();
      box.run();
      expect(statSync(join(box.root, 'var/lib/placard-update/packages')).mode & 0o777).toBe(0o700);
      expect(statSync(join(box.root, 'var/lib/placard-update/kept')).mode & 0o777).toBe(0o700);
    });
  });

  describe('refuses, and changes nothing', () => {
    test('a manifest signed by another key', () => {
      const file = box.deb({ version: '0.2.0' });
      box.hand(file, box.manifestOf(file, '0.2.0'), generateKeyPairSync('ed25519').privateKey);
      expect(afterRun()).toEqual(refused('bad_signature'));
    });

    test('a manifest that was changed after it was signed', () => {
      handNewVersion();
      const path = join(box.inbox, 'manifest');
      writeFileSync(path, readFileSync(path, 'utf8').replace('0.2.0', '0.3.0'));
      expect(afterRun()).toEqual(refused('bad_signature'));
    });

    test.each([
      ['a line too many', (text: string) => `${text}channel=beta\n`],
      ['a line twice', (text: string) => `${text}version=0.3.0\n`],
      ['a path for a version', (text: string) => text.replace('version=0.2.0', 'version=../0.2.0')],
      ['words for a size', (text: string) => text.replace(/size=.*/, 'size=1+1')],
    ])('a manifest with %s, however well signed', (_name, spoil) => {
      const file = box.deb({ version: '0.2.0' });
      box.handText(file, spoil(manifestText(box.manifestOf(file, '0.2.0'))));
      expect(afterRun()).toEqual(refused('bad_manifest'));
    });

    test('a package that was changed after its manifest was signed', () => {
      handNewVersion();
      const path = join(box.inbox, 'package');
      const bytes = readFileSync(path);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(path, bytes);
      expect(afterRun()).toEqual(refused('wrong_hash'));
    });

    test('a truncated download', () => {
      handNewVersion();
      const path = join(box.inbox, 'package');
      truncateSync(path, statSync(path).size - 1000);
      expect(afterRun()).toEqual(refused('wrong_size'));
    });

    test('a downgrade, however well signed', () => {
      const file = box.deb({ version: '0.0.9' });
      box.hand(file, box.manifestOf(file, '0.0.9'));
      expect(afterRun()).toEqual(refused('not_an_upgrade'));
    });

    test('the version that runs already', () => {
      const file = box.deb({ version: '0.1.0' });
      box.hand(file, box.manifestOf(file, '0.1.0'));
      expect(afterRun()).toEqual(refused('not_an_upgrade'));
    });

    test('another architecture', () => {
      const arch = ARCH === 'arm64' ? 'amd64' : 'arm64';
      const file = box.deb({ version: '0.2.0', arch });
      box.hand(file, box.manifestOf(file, '0.2.0', { arch }));
      expect(afterRun()).toEqual(refused('wrong_arch'));
    });

    test('another package', () => {
      const file = box.deb({ name: 'placard-chromium', version: '0.2.0' });
      box.hand(file, box.manifestOf(file, '0.2.0', { package: 'placard-chromium' }));
      expect(afterRun()).toEqual(refused('wrong_package'));
    });

    test('a package that is not what its manifest says', () => {
      const file = box.deb({ version: '0.1.5' });
      box.hand(file, box.manifestOf(file, '0.2.0'));
      expect(afterRun()).toEqual(refused('wrong_contents'));
    });

    test('a package too big for the disk', () => {
      const file = box.deb({ version: '0.2.0' });
      box.hand(file, box.manifestOf(file, '0.2.0', { size: 900_000_000_000_000 }));
      expect(afterRun()).toEqual(refused('no_space'));
    });

    test('a request without a package', () => {
      handNewVersion();
      writeFileSync(join(box.inbox, 'package'), '');
      expect(afterRun()).toEqual(refused('wrong_size'));
    });

    test.each(['manifest', 'package'])('a request whose %s is a pipe, without waiting for it', (name) => {
      handNewVersion();
      rmSync(join(box.inbox, name));
      execFileSync('mkfifo', [join(box.inbox, name)]);
      expect(afterRun()).toEqual(refused('incomplete'));
    });

    test('folders in place of files, and is not called by them again and again', () => {
      handNewVersion();
      for (const name of ['package', 'request']) {
        rmSync(join(box.inbox, name));
        mkdirSync(join(box.inbox, name, 'x'), { recursive: true });
      }
      expect(afterRun()).toEqual(refused('incomplete'));
    });

    test('a link to a file of another', () => {
      writeFileSync(join(box.inbox, 'request'), '');
      symlinkSync('/etc/passwd', join(box.inbox, 'manifest'));
      symlinkSync('/etc/passwd', join(box.inbox, 'manifest.sig'));
      symlinkSync('/etc/passwd', join(box.inbox, 'package'));
      expect(afterRun()).toEqual(refused('bad_signature'));
      expect(readFileSync('/etc/passwd', 'utf8')).not.toBe('');
    });

    test('everything, as long as no release key is built in', () => {
      handNewVersion();
      writeFileSync(join(box.root, 'usr/lib/placard/update-key.pem'), 'No release key yet.\n');
      expect(afterRun()).toEqual(refused('no_release_key'));
    });
  });

  describe('goes back to the version before', () => {
    test('after 10 minutes without health, and not a minute earlier', () => {
      handNewVersion();
      box.run();
      box.playerStarts();
      box.minutesPass(9);
      box.run();
      expect(box.player()).toBe('0.2.0');
      box.minutesPass(1);
      box.forgetSystemctlCalls();
      box.run();
      expect(now()).toEqual(back('unhealthy'));
      expect(box.systemctlCalls()).toContain('--no-block restart placard.service');
    });

    test('after three crashes, and not after two', () => {
      handNewVersion();
      box.run();
      for (let start = 0; start < 3; start++) box.playerStarts();
      box.run();
      expect(box.player()).toBe('0.2.0');
      box.forgetSystemctlCalls();
      box.playerStarts();
      expect(box.systemctlCalls()).toEqual(['--no-block start placard-update.service']);
      box.run();
      expect(now()).toEqual(back('crashed'));
    });

    test('after 10 minutes of this boot: no clock goes from one boot to the next', () => {
      box.minutesPass(1_000_000);
      handNewVersion();
      box.run();
      box.boot();
      box.playerStarts();
      box.minutesPass(9);
      box.run();
      expect(box.player()).toBe('0.2.0');
      box.minutesPass(1);
      box.run();
      expect(now()).toEqual(back('unhealthy'));
    });

    test('when the box boots again and again without health', () => {
      handNewVersion();
      box.run();
      for (let boot = 0; boot < 4; boot++) {
        box.boot();
        box.playerStarts();
      }
      box.run();
      expect(now()).toEqual(back('crashed'));
    });

    test('when the package does not install', () => {
      handNewVersion({ postinst: 'exit 1' });
      box.run();
      expect(now()).toEqual(back('install_failed'));
    });

    test('when the package needs what the system does not have', () => {
      handNewVersion({ depends: 'something-that-nobody-has' });
      box.run();
      expect(now()).toEqual(back('install_failed'));
    });

    test('even when the system never had all that this one needs', () => {
      box.dpkg('--force-depends', '-i', box.deb({ version: '0.1.0', depends: 'something-that-nobody-has' }));
      handNewVersion({ postinst: 'exit 1' });
      box.run();
      expect(now()).toEqual(back('install_failed'));
    });

    test('even when its kept package was spoilt in the meantime', () => {
      handNewVersion();
      box.run();
      box.playerIsHealthy('0.2.0');
      box.run();
      const kept = join(box.root, 'var/lib/placard-update/packages/0.2.0.deb');
      truncateSync(kept, statSync(kept).size / 2);
      const next = box.deb({ version: '0.3.0', postinst: 'exit 1' });
      box.hand(next, box.manifestOf(next, '0.3.0'));
      box.run();
      expect(box.player()).toBe('0.2.0');
      expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'install_failed' });
    });

    test('with every file that it had, whatever its name', () => {
      const files = Object.fromEntries(
        ['-rf', 'a b', 'back\\nslash', '$(touch x)', '*'].map((name) => [name, '']),
      );
      box.dpkg('-i', box.deb({ version: '0.1.0', files }));
      handNewVersion({ postinst: 'exit 1' });
      box.run();
      expect(box.player()).toBe('0.1.0');
      expect(readdirSync(join(box.root, 'opt/Placard'))).toEqual(expect.arrayContaining(Object.keys(files)));
    });

    test('and never takes the bad version again', () => {
      handNewVersion({ postinst: 'exit 1' });
      box.run();
      handNewVersion();
      box.run();
      expect(box.state()).toMatchObject({ outcome: 'failed', code: 'blocked' });
      expect(box.player()).toBe('0.1.0');
    });

    test('by the helper from before, whatever the helper of the new version is worth', () => {
      handNewVersion({ helper: (script) => script.replace('TRIAL_SECONDS=600', 'TRIAL_SECONDS=6000000') });
      box.run();
      box.playerStarts();
      box.minutesPass(10);
      box.run();
      expect(now()).toEqual(back('unhealthy'));
    });
  });

  test('leaves a trial alone when a technician has installed another version by hand', () => {
    handNewVersion();
    box.run();
    box.dpkg('-i', box.deb({ version: '0.2.1' }));
    box.minutesPass(20);
    box.run();
    expect(box.player()).toBe('0.2.1');
    expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'changed_by_hand' });
  });

  test('finishes at boot what a power cut left of an installation by hand', () => {
    box.dpkg('--unpack', box.deb({ version: '0.2.0' }));
    expect(box.player()).toContain('unpacked');
    box.boot();
    expect(box.player()).toBe('0.2.0');
  });

  test('does not ask dpkg at a boot with nothing to do', () => {
    const folder = join(box.folder, 'no-dpkg');
    mkdirSync(folder);
    for (const program of ['dpkg', 'dpkg-query'])
      writeFileSync(join(folder, program), '#!/bin/sh\necho asked; exit 1\n', { mode: 0o755 });
    const withoutDpkg = { PATH: `${folder}:${process.env['PATH']}` };
    expect(box.boot(withoutDpkg)).toMatchObject({ exitCode: 0, output: '' });
    box.dpkg('--unpack', box.deb({ version: '0.2.0' }));
    expect(box.boot(withoutDpkg).output).not.toBe('');
  });
});
