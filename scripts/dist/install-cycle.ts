import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deb } from './deb-checks.ts';
import { findMissingTools, run } from '../run.ts';

/** Installs, upgrades, removes, reinstalls and purges with the real dpkg, in a temporary copy of this machine's root. */
export function checkInstallCycle({ file, name, arch }: Deb, work: string): string | undefined {
  const missingTools = findMissingTools(['unshare', 'chroot', 'dpkg', 'useradd', 'deb-systemd-helper']);
  if (missingTools.length > 0) {
    return `this machine has no ${missingTools.join(', ')}`;
  }
  if (process.getuid?.() !== 0) {
    return 'needs root';
  }
  if (run('dpkg', ['--print-architecture']).trim() !== arch) {
    return `this machine is not ${arch}`;
  }
  try {
    run('unshare', ['--mount', 'sh', '-c', `mkdir -p ${work}/try && mount -t tmpfs none ${work}/try`]);
  } catch {
    return 'this machine does not allow mounting';
  }
  const output = run('unshare', [
    '--mount',
    'sh',
    join(import.meta.dirname, 'install-cycle.sh'),
    work,
    file,
    makeNextVersion(file, work),
    name,
  ]);
  if (output !== '') {
    throw new Error(output.trim());
  }
  return undefined;
}

/** The same package with the next version. */
function makeNextVersion(file: string, work: string): string {
  const tree = join(work, 'next');
  const next = join(work, 'next.deb');
  run('dpkg-deb', ['-R', file, tree]);
  const control = join(tree, 'DEBIAN/control');
  writeFileSync(
    control,
    readFileSync(control, 'utf8').replace(/^Version: .*$/m, (line) => `${line}.1`),
  );
  run('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, next]);
  return next;
}
