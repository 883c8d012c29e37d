import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  dir: string;
  fill(): void;
  free(): void;
  /** Nothing may be open for writing. */
  remount(how: 'ro' | 'rw'): void;
}

/** A small disk of its own for the running test; null where this user may not mount one. */
export function smallDisk(megabytes: number): SmallDisk | null {
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
    /** Leaves not one block. */
    fill() {
      const { bavail, bsize } = statfsSync(dir);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler, { force: true }),
    remount: (how) => void execFileSync('mount', ['-o', `remount,${how}`, dir]),
  };
}

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }).trim();

/** A file with an empty ext4 in it. */
function makeImage(image: string, megabytes: number): void {
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  run('mkfs.ext4', '-q', '-F', image);
}

/**
 * A disk with a file system that an error turns read-only under the open files, as worn-out SD cards do; null where
 * this user may not make one (root, loop devices and ext4 are needed).
 */
export function failingDisk(): { dir: string; fail(): void; repair(): void } | null {
  const base = mkdtempSync(join(tmpdir(), 'placard-failing-'));
  const [image, dir] = [join(base, 'image'), join(base, 'disk')];
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, dir);
  /** Where the kernel is told to find an error in it. */
  const trigger = () => `/sys/fs/ext4/${basename(run('findmnt', '-no', 'SOURCE', dir))}/trigger_fs_error`;
  let mounted = false;
  try {
    mkdirSync(dir);
    makeImage(image, 16);
    mount();
    mounted = true;
    accessSync(trigger(), constants.W_OK);
  } catch {
    if (mounted) run('umount', '--lazy', dir);
    rmSync(base, { recursive: true, force: true });
    return null;
  }
  onTestFinished(() => {
    run('umount', '--lazy', dir);
    rmSync(base, { recursive: true, force: true });
  });
  return {
    dir,
    fail: () => writeFileSync(trigger(), '1'),
    /** As after a reboot: nothing may be open. */
    repair() {
      run('umount', dir);
      try {
        run('e2fsck', '-fy', image);
      } catch {
        // It says by its exit code that it has mended something.
      }
      mount();
    },
  };
}

/**
 * A folder on a disk that does not give back what was written to `name`; null where this user may not make one. The
 * blocks are behind the end of the image that the disk is in.
 */
export function unreadableDisk(name: string, content: string): { dir: string } | null {
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
    makeImage(image, 32);
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
