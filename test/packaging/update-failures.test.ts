import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mountSmallDisk } from '../support/test-disks.ts';
import {
  createSandboxOnTrial,
  createSandboxWithPlayer,
  updateSkipReason,
  deliverGoodVersion,
} from './update-sandbox.ts';
import type { UpdateSandbox } from './update-sandbox.ts';

let sandbox: UpdateSandbox;

/** Continues on a device on which the helper has just installed a good 0.2.0. */
function startTrial(): void {
  sandbox.remove();
  sandbox = createSandboxOnTrial();
}

const helperPath = (...path: string[]) => join(sandbox.root, 'var/lib/placard-update', ...path);
const packagesDir = () => helperPath('packages');

/** Holds the lock of dpkg: SQLite locks a file in the same way. */
function holdDpkg() {
  const lock = new Database(join(sandbox.root, 'var/lib/dpkg/lock-frontend'));
  lock.pragma('journal_mode = MEMORY');
  lock.exec('BEGIN EXCLUSIVE');
  return () => void lock.close();
}

describe.skipIf(updateSkipReason)('the update helper, when something goes wrong on the device,', () => {
  beforeEach(() => {
    sandbox = createSandboxWithPlayer();
  });
  afterEach(() => sandbox.remove());

  describe('while another process uses dpkg', () => {
    test('an update waits, and is not blocked for it', () => {
      const letGo = holdDpkg();
      deliverGoodVersion(sandbox);
      // A failure, so that systemd starts it again soon.
      expect(sandbox.run().exitCode).toBe(75);
      expect(sandbox.state()?.phase).toBe('installing');
      expect(sandbox.installedVersion()).toBe('0.1.0');
      letGo();
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect([sandbox.state()?.phase, sandbox.blocked()]).toEqual(['trial', []]);
    });

    test('a rollback waits as well', () => {
      startTrial();
      const letGo = holdDpkg();
      sandbox.advanceMinutes(10);
      expect(sandbox.run().exitCode).toBe(75);
      letGo();
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.1.0');
      expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'unhealthy' });
    });
  });

  test.each(['installing', 'trial', 'returning'])(
    'installs the next update when a state file of phase %s is truncated at any point',
    (phase) => {
      const text = `phase=${phase}\noutcome=${phase}\ncode=\nfrom=0.1.0\nto=0.2.0\nboot=boot-1\nsince=5`;
      startTrial();
      for (const length of [0, 8, 40, text.length]) {
        writeFileSync(helperPath('state'), text.slice(0, length));
        sandbox.run();
        expect([length, sandbox.state()?.phase, sandbox.installedVersion()]).toEqual([
          length,
          'idle',
          '0.2.0',
        ]);
      }
      const next = sandbox.deb({ version: '0.3.0' });
      sandbox.deliver(next, sandbox.manifestOf(next, '0.3.0'));
      sandbox.run();
      expect(sandbox.installedVersion()).toBe('0.3.0');
    },
  );

  test('keeps the new version when a rollback is impossible, and installs the next update', () => {
    startTrial();
    writeFileSync(join(packagesDir(), '0.1.0.deb'), 'spoilt');
    sandbox.advanceMinutes(10);
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.2.0');
    expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_way_back' });
    expect(sandbox.blocked()).toEqual(['0.2.0']);
    const next = sandbox.deb({ version: '0.3.0' });
    sandbox.deliver(next, sandbox.manifestOf(next, '0.3.0'));
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.3.0');
  });

  test('refuses a package when the one for its rollback does not fit on the disk', () => {
    sandbox.dpkg('-i', sandbox.deb({ version: '0.1.0', control: 'Installed-Size: 900000000000\n' }));
    deliverGoodVersion(sandbox);
    sandbox.run();
    expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_space' });
  });

  test('refuses a package when the disk fills up meanwhile, and removes its files', () => {
    const disk = mountSmallDisk(2);
    if (!disk) {
      return;
    }
    sandbox.dpkg('-i', sandbox.deb({ version: '0.1.0', files: { big: randomBytes(3 * 1024 * 1024) } }));
    rmSync(packagesDir(), { recursive: true, force: true });
    symlinkSync(disk.dir, packagesDir());
    deliverGoodVersion(sandbox);
    sandbox.run();
    expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_way_back' });
    expect(sandbox.installedVersion()).toBe('0.1.0');
    expect(readdirSync(disk.dir)).toEqual([]);
  });

  test('refuses a package that does not fit on the disk when unpacked', () => {
    deliverGoodVersion(sandbox, { control: 'Installed-Size: 900000000000\n' });
    sandbox.run();
    expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_space' });
    expect([sandbox.installedVersion(), sandbox.blocked()]).toEqual(['0.1.0', []]);
  });

  test('does not block a version when the disk filled up while it was unpacked', () => {
    const disk = mountSmallDisk(2);
    if (!disk) {
      return;
    }
    const program = join(sandbox.root, 'opt/Placard');
    const moveProgramTo = (dir: string) => {
      cpSync(program, dir, { recursive: true, dereference: true });
      rmSync(program, { recursive: true });
      symlinkSync(dir, program);
    };
    copyFileSync(sandbox.deb({ version: '0.1.0' }), join(packagesDir(), '0.1.0.deb'));
    moveProgramTo(disk.dir);
    const version = { files: { big: randomBytes(3 * 1024 * 1024) } };
    deliverGoodVersion(sandbox, version);
    sandbox.run();
    expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'no_space' });
    expect([sandbox.installedVersion(), sandbox.blocked()]).toEqual(['0.1.0', []]);
    // There is free space again.
    moveProgramTo(join(sandbox.folder, 'large'));
    deliverGoodVersion(sandbox, version);
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.2.0');
    expect(sandbox.state()).toMatchObject({ phase: 'trial', code: '' });
  });

  test('cannot be blocked by other users than root', () => {
    expect(statSync(helperPath('lock')).mode & 0o077).toBe(0);
  });
});
