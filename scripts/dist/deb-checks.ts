import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findMissingTools, run } from '../run.ts';
import { throwOnProblems } from './report.ts';
import { installedPath, SYSTEM_FILES } from './system-files.ts';

export interface Deb {
  file: string;
  name: string;
  arch: 'amd64' | 'arm64';
}

/** `dpkg-deb -I`: name, version, architecture and dependencies. */
export function checkControl({ file, name, arch }: Deb, version: string): void {
  const field = (key: string) => run('dpkg-deb', ['-f', file, key]).trim();
  const wanted: Record<string, string> = { Package: name, Version: version, Architecture: arch };
  throwOnProblems([
    ...Object.entries(wanted)
      .filter(([key, value]) => field(key) !== value)
      .map(([key, value]) => `${key} is ${field(key)}, not ${value}`),
    ...['openssl', 'polkitd', 'labwc | xserver-xorg', 'libpam-systemd']
      .filter((need) => !field('Depends').includes(need))
      .map((need) => `Depends does not contain ${need}`),
    ...(Number(field('Installed-Size')) > 1_000 ? [] : [`Installed-Size is ${field('Installed-Size')}`]),
  ]);
}

/** `dpkg-deb -c`: the system files are in the right places, with the right modes, owned by root. */
export function checkContents({ file }: Deb, extraFiles: Record<string, boolean>): void {
  const entries = run('dpkg-deb', ['-c', file]).trimEnd().split('\n');
  const modes = new Map(
    entries.map((line) => {
      const [mode = '', owner = '', , , , path = ''] = line.split(/\s+/);
      return [path.replace(/^\.\//, ''), `${mode} ${owner}`] as const;
    }),
  );
  const problems: string[] = [];
  const wanted = [
    ...SYSTEM_FILES.map((entry) => [installedPath(entry), entry.executable ?? false] as const),
    ...Object.entries(extraFiles),
  ];
  for (const [path, executable] of wanted) {
    const mode = `${executable ? '-rwxr-xr-x' : '-rw-r--r--'} root/root`;
    const actual = modes.get(path);
    if (actual !== mode) {
      problems.push(`${path} is ${actual ?? 'missing'}, not ${mode}`);
    }
  }
  const notRootOwned = [...modes].filter(([, mode]) => !mode.endsWith(' root/root') || /^.{8}w/.test(mode));
  throwOnProblems([...problems, ...notRootOwned.map(([path, mode]) => `${path} is ${mode}`)]);
}

/** The maintainer scripts, as packaged, and all other shell scripts in the package pass `sh -n`. */
export function checkScripts({ file }: Deb, work: string): void {
  const tree = unpack(file, work);
  const scripts = ['DEBIAN/postinst', 'DEBIAN/prerm', 'DEBIAN/postrm', ...SYSTEM_FILES.map(installedPath)]
    .map((path) => join(tree, path))
    .filter((path) => readFileSync(path, 'utf8').startsWith('#!/bin/sh'));
  if (scripts.length < 6) {
    throw new Error(`only ${scripts.length} scripts were found`);
  }
  for (const script of scripts) {
    run('sh', ['-n', script]);
  }
}

/** `systemd-analyze verify`, with the programs replaced by `/bin/true`, after checking that our own exist. */
export function checkUnits({ file }: Deb, work: string): string | undefined {
  if (findMissingTools(['systemd-analyze']).length > 0) {
    return 'this machine has no systemd-analyze';
  }
  const tree = unpack(file, work);
  const units = join(tree, 'usr/lib/systemd/system');
  const copies = join(work, `${basename(file)}.units`);
  mkdirSync(copies, { recursive: true });
  const names = readdirSync(units);
  for (const name of names) {
    const text = readFileSync(join(units, name), 'utf8');
    for (const [, program = ''] of text.matchAll(/^Exec\w+=[-+]*(\S+)/gm)) {
      // Other programs belong to the system or are made by postinst.
      if (program.startsWith('/usr/lib/placard/')) {
        readFileSync(join(tree, program));
      }
    }
    writeFileSync(join(copies, name), text.replaceAll(/^(Exec\w+=[-+]*)\S+/gm, '$1/bin/true'));
  }
  run('systemd-analyze', ['verify', '--recursive-errors=no', ...names.map((name) => join(copies, name))]);
  return undefined;
}

function unpack(file: string, work: string): string {
  const tree = join(work, `${basename(file)}.tree`);
  if (!existsSync(tree)) {
    run('dpkg-deb', ['-R', file, tree]);
  }
  return tree;
}
