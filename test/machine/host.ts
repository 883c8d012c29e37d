import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findMissingTools } from '../../scripts/run.ts';
import type { System } from './systems.ts';

/** Images are cached here between runs. */
export const CACHE_DIR = process.env['PLACARD_MACHINE_CACHE'] ?? join(homedir(), '.cache/placard/machines');

/** Required programs of the host, with their Debian packages. */
const REQUIRED_PROGRAMS: Record<System['arch'], Record<string, string>> = {
  amd64: { 'qemu-system-x86_64': 'qemu-system-x86' },
  arm64: { 'qemu-system-aarch64': 'qemu-system-arm', 'qemu-aarch64-static': 'qemu-user-static' },
};
const ALWAYS_REQUIRED_PROGRAMS = {
  'qemu-img': 'qemu-utils',
  debootstrap: 'debootstrap',
  mke2fs: 'e2fsprogs',
  debugfs: 'e2fsprogs',
  e2fsck: 'e2fsprogs',
  'mkfs.vfat': 'dosfstools',
  mcopy: 'mtools',
};

/** Why no machine can be booted here, with the command that fixes it; null when one can. */
export function reasonNotBootable(arch: System['arch']): string | null {
  const needed: Record<string, string> = { ...ALWAYS_REQUIRED_PROGRAMS, ...REQUIRED_PROGRAMS[arch] };
  const packages = [...new Set(findMissingTools(Object.keys(needed)).map((program) => needed[program]))];
  if (packages.length > 0) {
    return `this machine lacks ${packages.join(', ')}: sudo apt install --no-install-recommends ${packages.join(' ')}`;
  }
  if (process.getuid?.() !== 0) {
    return 'making a system image needs root: run it with sudo';
  }
  if (arch === 'arm64' && process.arch !== 'arm64' && !existsSync(ARM64_PROGRAMS)) {
    return 'this kernel does not run programs for arm64: sudo mount -t binfmt_misc none /proc/sys/fs/binfmt_misc; sudo apt install binfmt-support; sudo update-binfmts --enable qemu-aarch64';
  }
  return null;
}

/** Exists if the kernel can run arm64 programs by QEMU: setting up an arm64 system runs its packages' own programs. */
const ARM64_PROGRAMS = '/proc/sys/fs/binfmt_misc/qemu-aarch64';

const DEFAULT_MIRROR = 'http://deb.debian.org/debian';

/** Debian mirrors: PLACARD_DEBIAN_MIRROR, or those that the host itself uses. */
export function mirrors(): { main: string; security: string } {
  const main = process.env['PLACARD_DEBIAN_MIRROR'] ?? hostMirror() ?? DEFAULT_MIRROR;
  return { main, security: main.replace(/debian\/?$/, 'debian-security') };
}

function hostMirror(): string | null {
  try {
    const sources = readFileSync('/etc/apt/sources.list.d/debian.sources', 'utf8');
    return /^URIs: (\S+\/debian)\/?$/m.exec(sources)?.[1] ?? null;
  } catch {
    return null;
  }
}
