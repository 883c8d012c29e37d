import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { smallDisk } from '../../../test/support/full-disk.ts';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSqliteStore, type SqliteStore } from './sqlite-store.ts';

const IDENTITY = { deviceId: 'dev_1', deviceToken: 'secret' };

const open = (dir: string, onDamage = () => {}): SqliteStore => {
  const store = createSqliteStore({
    file: join(dir, 'player.sqlite'),
    identityFile: join(dir, 'identity.json'),
    server: 'http://one.test',
    nowMs: 1_234,
    onDamage,
    log: createQuietLog(),
  });
  onTestFinished(() => store.close());
  return store;
};

/** A manifest that fills more pages than SQLite keeps in memory. */
const large = (revision: string) =>
  sketchManifest({
    revision,
    playlists: { pl: Array.from({ length: 12_000 }, (_, n) => `picture-number-${n}`) },
  });

describe('a file that is damaged while it is in use', () => {
  test('is told once a page of it is needed, and set aside by the next process', () => {
    const dir = tempDir();
    let damaged = 0;
    const store = open(dir, () => (damaged += 1));
    store.saveIdentity(IDENTITY);
    store.saveTarget(large('r1'));
    store.promoteTarget();
    for (const name of ['player.sqlite', 'player.sqlite-wal']) {
      const file = join(dir, name);
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.alloc(statSync(file).size, 'noise'));
      closeSync(handle);
    }
    expect(() => store.readManifests()).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
    expect(damaged).toBeGreaterThan(0);
    store.close();
    const next = open(dir);
    expect(next.setAside).toBe(join(dir, 'player.sqlite.damaged-1234'));
    expect(next.readIdentity()).toEqual(IDENTITY);
    next.close();
    expect(open(dir).setAside).toBe(null);
  });

  test('is set aside even if a quick look at it finds nothing', () => {
    const dir = tempDir();
    open(dir).close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    expect(open(dir).setAside).not.toBe(null);
  });
});

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });

/**
 * A folder on a disk that does not give back what was written to `name`; null where this user may not make one. The
 * blocks are behind the end of the image that the disk is in.
 */
function unreadableDisk(name: string, content: string): { dir: string } | null {
  const base = mkdtempSync(join(tmpdir(), 'placard-unreadable-'));
  const [image, dir] = [join(base, 'image'), join(base, 'disk')];
  const mount = () => run('mount', '-o', 'loop,errors=continue', image, dir);
  const unmount = () => run('umount', '--lazy', dir);
  let mounted = false;
  onTestFinished(() => {
    if (mounted) unmount();
    rmSync(base, { recursive: true, force: true });
  });
  try {
    mkdirSync(dir);
    writeFileSync(image, '');
    truncateSync(image, 32 * 1024 * 1024);
    run('mkfs.ext4', '-q', '-F', image);
    mount();
    mounted = true;
    // So that nothing else lies behind it.
    writeFileSync(join(dir, 'filler'), Buffer.alloc(12 * 1024 * 1024));
    copyFileSync(content, join(dir, name));
    run('sync', '-f', dir);
    const layout = run('filefrag', '-v', join(dir, name));
    const blockSize = Number(/blocks? of (\d+) bytes/.exec(layout)?.[1]);
    const first = Number(/^\s*0:\s+0\.\.\s*\d+:\s+(\d+)\.\./m.exec(layout)?.[1]);
    run('umount', dir);
    mounted = false;
    mount();
    mounted = true;
    truncateSync(image, first * blockSize);
    return { dir };
  } catch {
    return null;
  }
}

describe('a disk in trouble at the opening', () => {
  test('a file that it does not give back is set aside, and the screen need not be paired again', ({
    skip,
  }) => {
    const healthy = tempDir();
    const before = open(healthy);
    before.saveTarget(large('r1'));
    before.close();
    const disk =
      unreadableDisk('player.sqlite', join(healthy, 'player.sqlite')) ?? skip('no right to make such a disk');
    writeFileSync(join(disk.dir, 'identity.json'), JSON.stringify({ 'http://one.test': IDENTITY }));
    const store = open(disk.dir);
    expect(store.setAside).not.toBe(null);
    expect(store.readIdentity()).toEqual(IDENTITY);
    store.saveTarget(sketchManifest({ revision: 'r2', playlists: { pl: ['a'] } }));
    expect(store.readManifests().target?.revision).toBe('r2');
  });

  test('without one free block it opens what is there, as often as it is started', ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const before = open(disk.dir);
    before.saveIdentity(IDENTITY);
    before.saveTarget(sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    before.close();
    expect(readdirSync(disk.dir)).not.toContain('player.sqlite-shm');
    disk.fill();
    for (let start = 0; start < 2; start++) {
      const store = open(disk.dir);
      expect(store.setAside).toBe(null);
      expect(store.readIdentity()).toEqual(IDENTITY);
      expect(store.readManifests().target?.revision).toBe('r1');
      expect(() => store.saveTarget(large('r2'))).toThrow(expect.objectContaining({ code: 'disk.full' }));
      store.close();
    }
    disk.free();
    const after = open(disk.dir);
    after.saveLastGoodTime(7);
    expect(after.readLastGoodTime()).toBe(7);
    expect(existsSync(join(disk.dir, 'player.sqlite-shm'))).toBe(true);
  });
});
