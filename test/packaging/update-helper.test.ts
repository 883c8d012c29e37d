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
import { formatReleaseManifest } from '../../src/core/update/release-manifest.ts';
import {
  ARCH,
  createSandboxOnTrial,
  createSandboxWithPlayer,
  updateSkipReason,
  deliverGoodVersion,
} from './update-sandbox.ts';
import type { DebOptions, UpdateSandbox } from './update-sandbox.ts';

if (updateSkipReason) {
  process.stderr.write(`SKIPPED: all tests of the update helper: ${updateSkipReason}\n`);
}

let sandbox: UpdateSandbox;

/** Puts a good 0.2.0 into the inbox. */
const deliverNewVersion = (options: Partial<DebOptions> = {}): void => deliverGoodVersion(sandbox, options);

/** Continues on a device on which the helper has just installed a good 0.2.0. */
function startTrial(): void {
  sandbox.remove();
  sandbox = createSandboxOnTrial();
}

function runAndReadState() {
  sandbox.run();
  return {
    ...sandbox.state(),
    player: sandbox.installedVersion(),
    inbox: readdirSync(sandbox.inbox),
    restarted: sandbox.systemctlCalls().includes('--no-block restart placard.service'),
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

const currentState = () => ({
  ...sandbox.state(),
  player: sandbox.installedVersion(),
  blocked: sandbox.blocked(),
  kept: sandbox.storedPackages(),
});

const rolledBackState = (code: string) => ({
  phase: 'idle',
  outcome: 'rolled_back',
  code,
  from: '0.1.0',
  to: '0.2.0',
  player: '0.1.0',
  blocked: ['0.2.0'],
  kept: '0.1.0.deb',
});

describe.skipIf(updateSkipReason)('the update helper', () => {
  beforeEach(() => {
    sandbox = createSandboxWithPlayer();
  });
  afterEach(() => sandbox.remove());

  describe('with a good update', () => {
    test('installs it, restarts the player and starts its trial', () => {
      deliverNewVersion();
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect(sandbox.state()).toMatchObject({ phase: 'trial', outcome: 'trial', from: '0.1.0', to: '0.2.0' });
      expect(sandbox.systemctlCalls()).toContain('--no-block restart placard.service');
      expect(sandbox.systemctlCalls()).toContain('start placard-update.timer');
      expect(readdirSync(sandbox.inbox)).toEqual([]);
    });

    test('confirms it when the new player reports health, and keeps its package for the next rollback', () => {
      startTrial();
      sandbox.startPlayer();
      sandbox.advanceMinutes(2);
      sandbox.run();
      expect(sandbox.state()?.phase).toBe('trial');
      sandbox.markPlayerHealthy('0.2.0');
      sandbox.clearSystemctlCalls();
      sandbox.run();
      expect(sandbox.state()).toMatchObject({
        phase: 'idle',
        outcome: 'confirmed',
        from: '0.1.0',
        to: '0.2.0',
      });
      expect(sandbox.storedPackages()).toBe('0.2.0.deb');
      expect(sandbox.systemctlCalls()).toEqual(['stop placard-update.timer']);
      expect(sandbox.blocked()).toEqual([]);
    });

    test('ignores health that the previous version reported', () => {
      sandbox.markPlayerHealthy('0.1.0');
      deliverNewVersion();
      sandbox.run();
      sandbox.markPlayerHealthy('0.1.0');
      sandbox.run();
      expect(sandbox.state()?.phase).toBe('trial');
    });

    test('ignores health that was reported before the trial', () => {
      sandbox.markPlayerHealthy('0.2.0');
      deliverNewVersion();
      sandbox.run();
      expect(sandbox.state()?.phase).toBe('trial');
    });

    test('accepts no other update during the trial', () => {
      startTrial();
      const next = sandbox.deb({ version: '0.3.0' });
      sandbox.deliver(next, sandbox.manifestOf(next, '0.3.0'));
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect(readdirSync(sandbox.inbox)).toEqual([]);
    });

    test('installs a second update after the first, and counts its crashes separately', () => {
      startTrial();
      for (let start = 0; start < 3; start++) {
        sandbox.startPlayer();
      }
      sandbox.markPlayerHealthy('0.2.0');
      sandbox.run();
      const next = sandbox.deb({ version: '0.3.0' });
      sandbox.deliver(next, sandbox.manifestOf(next, '0.3.0'));
      sandbox.run();
      for (let start = 0; start < 3; start++) {
        sandbox.startPlayer();
      }
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.3.0');
      expect(sandbox.storedPackages()).toBe('0.2.0.deb 0.3.0.deb');
    });

    test('keeps packages where the player can neither read nor replace them', () => {
      startTrial();
      expect(statSync(join(sandbox.root, 'var/lib/placard-update/packages')).mode & 0o777).toBe(0o700);
      expect(statSync(join(sandbox.root, 'var/lib/placard-update/kept')).mode & 0o777).toBe(0o700);
    });
  });

  describe('refuses, without changes,', () => {
    test('a manifest signed by another key', () => {
      const file = sandbox.deb({ version: '0.2.0' });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.2.0'), generateKeyPairSync('ed25519').privateKey);
      expect(runAndReadState()).toEqual(refused('bad_signature'));
    });

    test('a manifest that was changed after it was signed', () => {
      deliverNewVersion();
      const path = join(sandbox.inbox, 'manifest');
      writeFileSync(path, readFileSync(path, 'utf8').replace('0.2.0', '0.3.0'));
      expect(runAndReadState()).toEqual(refused('bad_signature'));
    });

    test.each([
      ['a line too many', (text: string) => `${text}channel=beta\n`],
      ['a line twice', (text: string) => `${text}version=0.3.0\n`],
      ['a path for a version', (text: string) => text.replace('version=0.2.0', 'version=../0.2.0')],
      ['words for a size', (text: string) => text.replace(/size=.*/, 'size=1+1')],
    ])('a manifest with %s, however well signed', (_name, spoil) => {
      const file = sandbox.deb({ version: '0.2.0' });
      sandbox.deliverText(file, spoil(formatReleaseManifest(sandbox.manifestOf(file, '0.2.0'))));
      expect(runAndReadState()).toEqual(refused('bad_manifest'));
    });

    test('a package that was changed after its manifest was signed', () => {
      deliverNewVersion();
      const path = join(sandbox.inbox, 'package');
      const bytes = readFileSync(path);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(path, bytes);
      expect(runAndReadState()).toEqual(refused('wrong_hash'));
    });

    test('a truncated download', () => {
      deliverNewVersion();
      const path = join(sandbox.inbox, 'package');
      truncateSync(path, statSync(path).size - 1000);
      expect(runAndReadState()).toEqual(refused('wrong_size'));
    });

    test('a downgrade, even if correctly signed', () => {
      const file = sandbox.deb({ version: '0.0.9' });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.0.9'));
      expect(runAndReadState()).toEqual(refused('not_an_upgrade'));
    });

    test('the installed version', () => {
      const file = sandbox.deb({ version: '0.1.0' });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.1.0'));
      expect(runAndReadState()).toEqual(refused('not_an_upgrade'));
    });

    test('another architecture', () => {
      const arch = ARCH === 'arm64' ? 'amd64' : 'arm64';
      const file = sandbox.deb({ version: '0.2.0', arch });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.2.0', { arch }));
      expect(runAndReadState()).toEqual(refused('wrong_arch'));
    });

    test('another package', () => {
      const file = sandbox.deb({ name: 'placard-chromium', version: '0.2.0' });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.2.0', { package: 'placard-chromium' }));
      expect(runAndReadState()).toEqual(refused('wrong_package'));
    });

    test('a package whose fields differ from its manifest', () => {
      const file = sandbox.deb({ version: '0.1.5' });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.2.0'));
      expect(runAndReadState()).toEqual(refused('wrong_contents'));
    });

    test('a package too big for the disk', () => {
      const file = sandbox.deb({ version: '0.2.0' });
      sandbox.deliver(file, sandbox.manifestOf(file, '0.2.0', { size: 900_000_000_000_000 }));
      expect(runAndReadState()).toEqual(refused('no_space'));
    });

    test('a request without a package', () => {
      deliverNewVersion();
      writeFileSync(join(sandbox.inbox, 'package'), '');
      expect(runAndReadState()).toEqual(refused('wrong_size'));
    });

    test.each(['manifest', 'package'])('a request whose %s is a pipe, without waiting for it', (name) => {
      deliverNewVersion();
      rmSync(join(sandbox.inbox, name));
      execFileSync('mkfifo', [join(sandbox.inbox, name)]);
      expect(runAndReadState()).toEqual(refused('incomplete'));
    });

    test('folders instead of files, and removes them so that they do not start it again', () => {
      deliverNewVersion();
      for (const name of ['package', 'request']) {
        rmSync(join(sandbox.inbox, name));
        mkdirSync(join(sandbox.inbox, name, 'x'), { recursive: true });
      }
      expect(runAndReadState()).toEqual(refused('incomplete'));
    });

    test('a link to a file of another user', () => {
      writeFileSync(join(sandbox.inbox, 'request'), '');
      symlinkSync('/etc/passwd', join(sandbox.inbox, 'manifest'));
      symlinkSync('/etc/passwd', join(sandbox.inbox, 'manifest.sig'));
      symlinkSync('/etc/passwd', join(sandbox.inbox, 'package'));
      expect(runAndReadState()).toEqual(refused('bad_signature'));
      expect(readFileSync('/etc/passwd', 'utf8')).not.toBe('');
    });

    test('everything, while no release key is built in', () => {
      deliverNewVersion();
      writeFileSync(join(sandbox.root, 'usr/lib/placard/update-key.pem'), 'No release key yet.\n');
      expect(runAndReadState()).toEqual(refused('no_release_key'));
    });
  });

  describe('rolls back', () => {
    test('after 10 minutes without health, and not a minute earlier', () => {
      startTrial();
      sandbox.startPlayer();
      sandbox.advanceMinutes(9);
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      sandbox.advanceMinutes(1);
      sandbox.clearSystemctlCalls();
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('unhealthy'));
      expect(sandbox.systemctlCalls()).toContain('--no-block restart placard.service');
    });

    test('after three crashes, and not after two', () => {
      startTrial();
      for (let start = 0; start < 3; start++) {
        sandbox.startPlayer();
      }
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      sandbox.clearSystemctlCalls();
      sandbox.startPlayer();
      expect(sandbox.systemctlCalls()).toEqual(['--no-block start placard-update.service']);
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('crashed'));
    });

    test('after 10 minutes of this boot: uptime restarts at every boot', () => {
      sandbox.advanceMinutes(1_000_000);
      deliverNewVersion();
      sandbox.run();
      sandbox.boot();
      sandbox.startPlayer();
      sandbox.advanceMinutes(9);
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      sandbox.advanceMinutes(1);
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('unhealthy'));
    });

    test('when the device boots repeatedly without health', () => {
      startTrial();
      for (let boot = 0; boot < 4; boot++) {
        sandbox.boot();
        sandbox.startPlayer();
      }
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('crashed'));
    });

    test('when the package does not install', () => {
      deliverNewVersion({ postinst: 'exit 1' });
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('install_failed'));
    });

    test('when the package has dependencies that the system lacks', () => {
      deliverNewVersion({ depends: 'something-that-nobody-has' });
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('install_failed'));
    });

    test('even when the system lacks dependencies of the previous version', () => {
      sandbox.dpkg(
        '--force-depends',
        '-i',
        sandbox.deb({ version: '0.1.0', depends: 'something-that-nobody-has' }),
      );
      deliverNewVersion({ postinst: 'exit 1' });
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('install_failed'));
    });

    test('even when the kept package was damaged in the meantime', () => {
      startTrial();
      sandbox.markPlayerHealthy('0.2.0');
      sandbox.run();
      const kept = join(sandbox.root, 'var/lib/placard-update/packages/0.2.0.deb');
      truncateSync(kept, statSync(kept).size / 2);
      const next = sandbox.deb({ version: '0.3.0', postinst: 'exit 1' });
      sandbox.deliver(next, sandbox.manifestOf(next, '0.3.0'));
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect(sandbox.state()).toMatchObject({
        phase: 'idle',
        outcome: 'rolled_back',
        code: 'install_failed',
      });
    });

    test('with every file of the previous version, whatever its name', () => {
      const files = Object.fromEntries(
        ['-rf', 'a b', 'back\\nslash', '$(touch x)', '*'].map((name) => [name, '']),
      );
      sandbox.dpkg('-i', sandbox.deb({ version: '0.1.0', files }));
      deliverNewVersion({ postinst: 'exit 1' });
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.1.0');
      expect(readdirSync(join(sandbox.root, 'opt/Placard'))).toEqual(
        expect.arrayContaining(Object.keys(files)),
      );
    });

    test('and never installs the bad version again', () => {
      deliverNewVersion({ postinst: 'exit 1' });
      sandbox.run();
      deliverNewVersion();
      sandbox.run();
      expect(sandbox.state()).toMatchObject({ outcome: 'failed', code: 'blocked' });
      expect(sandbox.installedVersion()).toBe('0.1.0');
    });

    test('with the previous helper, even if the helper of the new version is broken', () => {
      deliverNewVersion({ helper: (script) => script.replace('TRIAL_SECONDS=600', 'TRIAL_SECONDS=6000000') });
      sandbox.run();
      sandbox.startPlayer();
      sandbox.advanceMinutes(10);
      sandbox.run();
      expect(currentState()).toEqual(rolledBackState('unhealthy'));
    });
  });

  test('ends a trial when a technician has installed another version by hand', () => {
    startTrial();
    sandbox.dpkg('-i', sandbox.deb({ version: '0.2.1' }));
    sandbox.advanceMinutes(20);
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.2.1');
    expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'changed_by_hand' });
  });

  test('completes at boot a manual installation that a power cut interrupted', () => {
    sandbox.dpkg('--unpack', sandbox.deb({ version: '0.2.0' }));
    expect(sandbox.installedVersion()).toContain('unpacked');
    sandbox.boot();
    expect(sandbox.installedVersion()).toBe('0.2.0');
  });

  test('does not ask dpkg at a boot with nothing to do', () => {
    const folder = join(sandbox.folder, 'no-dpkg');
    mkdirSync(folder);
    for (const program of ['dpkg', 'dpkg-query']) {
      writeFileSync(join(folder, program), '#!/bin/sh\necho asked; exit 1\n', { mode: 0o755 });
    }
    const withoutDpkg = { PATH: `${folder}:${process.env['PATH']}` };
    expect(sandbox.boot(withoutDpkg)).toMatchObject({ exitCode: 0, output: '' });
    sandbox.dpkg('--unpack', sandbox.deb({ version: '0.2.0' }));
    expect(sandbox.boot(withoutDpkg).output).not.toBe('');
  });
});
