import { execFileSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  dir: string;
  /** Fills the disk to the last block, again if space has become free since. */
  fill(): void;
  free(): void;
  /** No file may be open for writing. */
  remount(how: 'ro' | 'rw'): void;
}

/** A small disk for the running test; null where this user may not mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const dir = mkdtempSync(join(tmpdir(), 'placard-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', dir], { stdio: 'ignore' });
  } catch {
    rmSync(dir, { recursive: true, force: true });
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', dir], { stdio: 'ignore' });
    rmSync(dir, { recursive: true, force: true });
  });
  const filler = join(dir, 'filler');
  return {
    dir,
    fill() {
      const file = openSync(filler, 'a');
      try {
        // Until the disk refuses: what statfs reports is outdated when a running cloud writes to its log.
        for (;;) {
          writeSync(file, Buffer.alloc(65_536));
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) {
          throw error;
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    remount: (how) => void execFileSync('mount', ['-o', `remount,${how}`, dir]),
  };
}

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }).trim();

/** Creates an image file with an empty ext4 file system. */
function makeExt4Image(image: string, megabytes: number): void {
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  run('mkfs.ext4', '-q', '-F', image);
}

/**
 * A disk whose file system an error turns read-only under open files, as worn-out SD cards do; null where this user
 * cannot make one (root, loop devices and ext4 are needed).
 */
export function mountFailingDisk(): { dir: string; fail(): void; repair(): void } | null {
  const base = mkdtempSync(join(tmpdir(), 'placard-failing-'));
  const [image, dir] = [join(base, 'image'), join(base, 'disk')];
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, dir);
  /** Writing to this file makes the kernel report a file system error. */
  const errorTriggerFile = () =>
    `/sys/fs/ext4/${basename(run('findmnt', '-no', 'SOURCE', dir))}/trigger_fs_error`;
  let mounted = false;
  try {
    mkdirSync(dir);
    makeExt4Image(image, 16);
    mount();
    mounted = true;
    accessSync(errorTriggerFile(), constants.W_OK);
  } catch {
    if (mounted) {
      run('umount', '--lazy', dir);
    }
    rmSync(base, { recursive: true, force: true });
    return null;
  }
  onTestFinished(() => {
    run('umount', '--lazy', dir);
    rmSync(base, { recursive: true, force: true });
  });
  return {
    dir,
    fail: () => writeFileSync(errorTriggerFile(), '1'),
    /** Like a reboot: no file may be open. */
    repair() {
      run('umount', dir);
      try {
        run('e2fsck', '-fy', image);
      } catch {
        // A non-zero exit code says that it has repaired something.
      }
      mount();
    },
  };
}

/**
 * A folder on a disk where reading the file `name` fails; null where this user cannot make one. The blocks of the file
 * are beyond the end of the disk's image.
 */
export function mountUnreadableDisk(name: string, sourceFile: string): { dir: string } | null {
  const base = mkdtempSync(join(tmpdir(), 'placard-unreadable-'));
  const [image, dir] = [join(base, 'image'), join(base, 'disk')];
  const mount = () => run('mount', '-o', 'loop,errors=continue', image, dir);
  const unmount = () => run('umount', '--lazy', dir);
  let mounted = false;
  onTestFinished(() => {
    if (mounted) {
      unmount();
    }
    rmSync(base, { recursive: true, force: true });
  });
  try {
    mkdirSync(dir);
    makeExt4Image(image, 32);
    mount();
    mounted = true;
    // So that no other file gets blocks beyond the end.
    writeFileSync(join(dir, 'filler'), Buffer.alloc(12 * 1024 * 1024));
    copyFileSync(sourceFile, join(dir, name));
    run('sync', '-f', dir);
    const layout = run('filefrag', '-v', join(dir, name));
    const blockSize = Number(/blocks? of (\d+) bytes/.exec(layout)?.[1]);
    const firstBlock = Number(/^\s*0:\s+0\.\.\s*\d+:\s+(\d+)\.\./m.exec(layout)?.[1]);
    run('umount', dir);
    mounted = false;
    mount();
    mounted = true;
    truncateSync(image, firstBlock * blockSize);
    return { dir };
  } catch {
    return null;
  }
}
