#!/usr/bin/env node
/**
 * Replaces fpm, which electron-builder would download: takes the same arguments and builds the same package with
 * dpkg-deb. `npm run dist:check` sets CUSTOM_FPM_PATH to it.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { folderSizeKb, run } from '../run.ts';

const one = { type: 'string' } as const;
const many = { type: 'string', multiple: true } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    s: { ...one, short: 's' },
    t: { ...one, short: 't' },
    depends: { ...many, short: 'd' },
    force: { type: 'boolean' },
    'deb-recommends': many,
    'deb-compression': one,
    'deb-priority': one,
    architecture: one,
    'after-install': one,
    'after-remove': one,
    'before-remove': one,
    description: one,
    version: one,
    package: one,
    name: one,
    maintainer: one,
    vendor: one,
    url: one,
    license: one,
  },
});

const tree = mkdtempSync(join(tmpdir(), 'placard-deb-'));
chmodSync(tree, 0o755);
try {
  for (const mapping of positionals) {
    const at = mapping.lastIndexOf('=');
    const [from, to] = [mapping.slice(0, at), join(tree, mapping.slice(at + 1))];
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    chmodSync(to, statSync(from).mode & 0o777);
  }
  mkdirSync(join(tree, 'DEBIAN'));
  const control: Record<string, string | undefined> = {
    Package: values.name,
    Version: values.version,
    Architecture: values.architecture,
    Maintainer: values.maintainer,
    'Installed-Size': String(folderSizeKb(tree)),
    Priority: values['deb-priority'],
    Section: 'default',
    Depends: values.depends?.join(', '),
    Recommends: values['deb-recommends']?.join(', '),
    Description: values.description?.replaceAll('\n', '\n ').replace(/^ *\n/, 'Placard\n'),
  };
  const lines = Object.entries(control).filter(([, value]) => value !== undefined);
  writeFileSync(join(tree, 'DEBIAN/control'), lines.map(([name, value]) => `${name}: ${value}\n`).join(''));
  const scripts = { postinst: 'after-install', postrm: 'after-remove', prerm: 'before-remove' } as const;
  for (const [name, option] of Object.entries(scripts)) {
    const file = values[option];
    if (file === undefined) {
      continue;
    }
    cpSync(file, join(tree, 'DEBIAN', name));
    chmodSync(join(tree, 'DEBIAN', name), 0o755);
  }
  run('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, values.package ?? '']);
} finally {
  rmSync(tree, { recursive: true, force: true });
}
