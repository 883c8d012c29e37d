import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { smallDisk } from '../support/bad-disk.ts';
import { boxWithPlayer, cannotUpdate, handGoodVersion, type UpdateBox } from './update-box.ts';

let box: UpdateBox;

const home = (...path: string[]) => join(box.root, 'var/lib/placard-update', ...path);
const safe = () => home('packages');

/** Holds what dpkg holds while it runs: SQLite locks a file in the same way. */
function holdDpkg() {
  const lock = new Database(join(box.root, 'var/lib/dpkg/lock-frontend'));
  lock.pragma('journal_mode = MEMORY');
  lock.exec('BEGIN EXCLUSIVE');
  return () => void lock.close();
}

describe.skipIf(cannotUpdate)('the update helper, when something goes wrong on the box,', () => {
  beforeEach(() => {
    box = boxWithPlayer();
  });
  afterEach(() => box.remove());

  describe('while somebody else is at work with dpkg', () => {
    test('an update waits, and is none the worse for it', () => {
      const letGo = holdDpkg();
      handGoodVersion(box);
      // Not well, so that it is started again soon.
      expect(box.run().exitCode).toBe(75);
      expect(box.state()?.phase).toBe('installing');
      expect(box.player()).toBe('0.1.0');
      letGo();
      box.run();
      expect(box.player()).toBe('0.2.0');
      expect([box.state()?.phase, box.blocked()]).toEqual(['trial', []]);
    });

    test('a return waits as well', () => {
      handGoodVersion(box);
      box.run();
      const letGo = holdDpkg();
      box.minutesPass(10);
      expect(box.run().exitCode).toBe(75);
      letGo();
      box.run();
      expect(box.player()).toBe('0.1.0');
      expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'unhealthy' });
    });
  });

  test.each(['installing', 'trial', 'returning'])(
    'takes the next update when the state of one that was %s is torn, wherever it is torn',
    (phase) => {
      const text = `phase=${phase}\noutcome=${phase}\ncode=\nfrom=0.1.0\nto=0.2.0\nboot=boot-1\nsince=5`;
      handGoodVersion(box);
      box.run();
      for (const length of [0, 3, 8, 21, 40, 50, 58, 66, text.length]) {
        writeFileSync(home('state'), text.slice(0, length));
        box.run();
        expect([length, box.state()?.phase, box.player()]).toEqual([length, 'idle', '0.2.0']);
      }
      const next = box.deb({ version: '0.3.0' });
      box.hand(next, box.manifestOf(next, '0.3.0'));
      box.run();
      expect(box.player()).toBe('0.3.0');
    },
  );

  test('stays where it is when there is no way back any more, and takes the next update', () => {
    handGoodVersion(box);
    box.run();
    writeFileSync(join(safe(), '0.1.0.deb'), 'spoilt');
    box.minutesPass(10);
    box.run();
    expect(box.player()).toBe('0.2.0');
    expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_way_back' });
    expect(box.blocked()).toEqual(['0.2.0']);
    const next = box.deb({ version: '0.3.0' });
    box.hand(next, box.manifestOf(next, '0.3.0'));
    box.run();
    expect(box.player()).toBe('0.3.0');
  });

  test('refuses a package whose way back would not fit on the disk', () => {
    box.dpkg('-i', box.deb({ version: '0.1.0', control: 'Installed-Size: 900000000000\n' }));
    handGoodVersion(box);
    box.run();
    expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_space' });
  });

  test('refuses what it has no room for after all, and leaves nothing of it on the disk', () => {
    const disk = smallDisk(2);
    if (!disk) return;
    box.dpkg('-i', box.deb({ version: '0.1.0', files: { big: randomBytes(3 * 1024 * 1024) } }));
    rmSync(safe(), { recursive: true, force: true });
    symlinkSync(disk.dir, safe());
    handGoodVersion(box);
    box.run();
    expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_way_back' });
    expect(box.player()).toBe('0.1.0');
    expect(readdirSync(disk.dir)).toEqual([]);
  });

  test('refuses a package that would not fit on the disk when it is unpacked', () => {
    handGoodVersion(box, { control: 'Installed-Size: 900000000000\n' });
    box.run();
    expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'failed', code: 'no_space' });
    expect([box.player(), box.blocked()]).toEqual(['0.1.0', []]);
  });

  test('does not hold it against a version that the disk filled up while it was unpacked', () => {
    const disk = smallDisk(2);
    if (!disk) return;
    const program = join(box.root, 'opt/Placard');
    const moveProgramTo = (dir: string) => {
      cpSync(program, dir, { recursive: true, dereference: true });
      rmSync(program, { recursive: true });
      symlinkSync(dir, program);
    };
    copyFileSync(box.deb({ version: '0.1.0' }), join(safe(), '0.1.0.deb'));
    moveProgramTo(disk.dir);
    const version = { files: { big: randomBytes(3 * 1024 * 1024) } };
    handGoodVersion(box, version);
    box.run();
    expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'no_space' });
    expect([box.player(), box.blocked()]).toEqual(['0.1.0', []]);
    // There is room again.
    moveProgramTo(join(box.folder, 'large'));
    handGoodVersion(box, version);
    box.run();
    expect(box.player()).toBe('0.2.0');
    expect(box.state()).toMatchObject({ phase: 'trial', code: '' });
  });

  test('lets nobody but root keep it from its work', () => {
    expect(statSync(home('lock')).mode & 0o077).toBe(0);
  });
});
