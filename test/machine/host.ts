import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { missing } from '../../scripts/dist/run.ts';
import type { System } from './systems.ts';

/** Where images are kept between runs. */
export const CACHE = process.env['PLACARD_MACHINE_CACHE'] ?? join(homedir(), '.cache/placard/machines');

/** Programs of the machine that runs the trial, by the package of Debian that has them. */
const NEEDED: Record<System['arch'], Record<string, string>> = {
  amd64: { 'qemu-system-x86_64': 'qemu-system-x86' },
  arm64: { 'qemu-system-aarch64': 'qemu-system-arm', 'qemu-aarch64-static': 'qemu-user-static' },
};
const NEEDED_ALWAYS = {
  'qemu-img': 'qemu-utils',
  debootstrap: 'debootstrap',
  mke2fs: 'e2fsprogs',
  debugfs: 'e2fsprogs',
  e2fsck: 'e2fsprogs',
  'mkfs.vfat': 'dosfstools',
  mcopy: 'mtools',
};

/** Why no machine can be booted here, with the command that mends it; null when one can. */
export function cannotBoot(arch: System['arch']): string | null {
  const needed: Record<string, string> = { ...NEEDED_ALWAYS, ...NEEDED[arch] };
  const packages = [...new Set(missing(Object.keys(needed)).map((program) => needed[program]))];
  if (packages.length > 0)
    return `this machine lacks ${packages.join(', ')}: sudo apt install --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0) return 'making a system image needs root: run it with sudo';
  if (arch === 'arm64' && process.arch !== 'arm64' && !existsSync(ARM64_PROGRAMS))
    return 'this kernel does not run programs for arm64: sudo mount -t binfmt_misc none /proc/sys/fs/binfmt_misc; sudo apt install binfmt-support; sudo update-binfmts --enable qemu-aarch64';
  return null;
}

/** Registered with the kernel: the packages of a system for arm64 are set up by their own programs. */
const ARM64_PROGRAMS = '/proc/sys/fs/binfmt_misc/qemu-aarch64';

const DEFAULT_MIRROR = 'http://deb.debian.org/debian';

/** Where Debian's packages come from: PLACARD_DEBIAN_MIRROR, else what this machine itself uses. */
export function mirrors(): { main: string; security: string } {
  const main = process.env['PLACARD_DEBIAN_MIRROR'] ?? ownMirror() ?? DEFAULT_MIRROR;
  return { main, security: main.replace(/debian\/?$/, 'debian-security') };
}

function ownMirror(): string | null {
  try {
    const sources = readFileSync('/etc/apt/sources.list.d/debian.sources', 'utf8');
    return /^URIs: (\S+\/debian)\/?$/m.exec(sources)?.[1] ?? null;
  } catch {
    return null;
  }
}
