/**
 * `npm run dist:chromium-deb -- --arch arm64`: the player without Electron as a package for Debian and Raspberry Pi OS.
 * It shows its pictures in the Chromium of the system, which decodes video in hardware on a Raspberry Pi, and brings
 * its own Node, because those systems have an older one.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { REPOSITORY } from './pack.ts';
import { productionPackages } from './production-packages.ts';
import { kilobytesOf, run } from './run.ts';
import { placeOf, SYSTEM_FILES } from './system-files.ts';

export const CHROMIUM_PACKAGE = 'placard-chromium';
const APP = 'opt/placard-chromium';
export const NODE_ARCH = { amd64: 'x64', arm64: 'arm64' } as const;
export type DebArch = keyof typeof NODE_ARCH;

/** Read by Debian's Chromium; an administrator may change it. */
const POLICY = 'etc/chromium/policies/managed/placard.json';

const DEPENDS = [
  'chromium | chromium-browser',
  'libc6 (>= 2.28)',
  'libstdc++6',
  // The first that the system has. Without xinit: it brings xterm, whose luit and Chromium's x11-utils exclude each other.
  'labwc | xserver-xorg',
  'libpam-systemd',
  'openssl',
  'polkitd | policykit-1',
];

const COMMAND = `#!/bin/sh
export PLACARD_SHELL="$\{PLACARD_SHELL:-chromium}"
exec /${APP}/bin/node /${APP}/dist/shells/main.js "$@"
`;

const packageJson = z.object({ version: z.string(), description: z.string() });

/**
 * Builds the package into `output` and returns its path. `dist` has to be built. A package that is only looked at is
 * not compressed: that takes longer than all the rest.
 */
export function buildChromiumDeb(arch: DebArch, output: string, compression: 'xz' | 'none' = 'xz'): string {
  const { version, description } = packageJson.parse(
    JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')),
  );
  const tree = mkdtempSync(join(tmpdir(), 'placard-deb-'));
  try {
    chmodSync(tree, 0o755);
    const app = join(tree, APP);
    for (const part of [
      'dist/renderer',
      'dist/runtime',
      'dist/shells/main.js',
      'dist/chunks',
      'package.json',
    ])
      cpSync(join(REPOSITORY, part), join(app, part), { recursive: true });
    for (const folder of productionPackages(REPOSITORY)) copyPackage(folder, app, NODE_ARCH[arch]);
    copyNode(join(app, 'bin/node'), NODE_ARCH[arch]);
    put(join(tree, 'usr/bin/placard-player'), COMMAND, 0o755);
    for (const file of SYSTEM_FILES)
      cpSync(join(REPOSITORY, 'build/linux', file.source), join(tree, placeOf(file)));
    cpSync(join(REPOSITORY, 'build/linux/policies/placard.json'), join(tree, POLICY));
    put(
      join(tree, 'DEBIAN/control'),
      [
        `Package: ${CHROMIUM_PACKAGE}`,
        `Version: ${version}`,
        `Architecture: ${arch}`,
        // The update helper asks for so much room before it packs the version that runs.
        `Installed-Size: ${kilobytesOf(tree)}`,
        'Maintainer: The Placard developers <ops@placard.example>',
        'Priority: optional',
        'Section: misc',
        `Depends: ${DEPENDS.join(', ')}`,
        'Recommends: chromium-sandbox, network-manager, fonts-noto-cjk',
        'Conflicts: placard',
        'Description: Digital signage player in the Chromium of the system',
        ` ${description}.`,
        '',
      ].join('\n'),
      0o644,
    );
    // Chromium is not awaited: its upgrade is done when the player is told of it.
    put(join(tree, 'DEBIAN/triggers'), 'interest-noawait /usr/lib/chromium\n', 0o644);
    put(join(tree, 'DEBIAN/conffiles'), `/${POLICY}\n`, 0o644);
    for (const name of ['postinst', 'prerm', 'postrm'])
      put(
        join(tree, 'DEBIAN', name),
        readFileSync(join(REPOSITORY, `build/linux/${name}.sh`), 'utf8'),
        0o755,
      );
    mkdirSync(output, { recursive: true });
    const file = join(output, `${CHROMIUM_PACKAGE}_${version}_${arch}.deb`);
    run('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, tree, file]);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Without what only serves to build it, and with the native module of this target alone. */
function copyPackage(folder: string, app: string, nodeArch: string): void {
  const from = join(REPOSITORY, folder);
  const native = `linux-${nodeArch}.node`;
  cpSync(from, join(app, folder), {
    recursive: true,
    filter: (path) => {
      const inside = path.slice(from.length + 1);
      // Other packages inside have a line of their own in the list.
      if (inside.split('/').includes('node_modules')) return false;
      if (folder === 'node_modules/better-sqlite3' && /^(deps|src|binding\.gyp)(\/|$)/.test(inside))
        return false;
      return !inside.endsWith('.map') && (!inside.endsWith('.node') || basename(inside) === native);
    },
  });
}

/** The Node that the project itself runs on; for another architecture from the same registry package. */
function copyNode(target: string, nodeArch: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const own = join(REPOSITORY, `node_modules/node-linux-${nodeArch}/bin/node`);
  if (nodeArch === process.arch && existsSync(own)) {
    cpSync(own, target);
  } else {
    const { version } = packageJson.parse(
      JSON.parse(readFileSync(join(REPOSITORY, 'build/node/package.json'), 'utf8')),
    );
    const download = mkdtempSync(join(tmpdir(), 'placard-node-'));
    try {
      run('npm', ['pack', '--silent', '--pack-destination', download, `node-linux-${nodeArch}@${version}`]);
      const archive = join(download, `node-linux-${nodeArch}-${version}.tgz`);
      run('tar', ['--extract', '--gzip', '--file', archive, '--directory', download, 'package/bin/node']);
      cpSync(join(download, 'package/bin/node'), target);
    } finally {
      rmSync(download, { recursive: true, force: true });
    }
  }
  chmodSync(target, 0o755);
}

function put(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

if (import.meta.main) {
  const command = new Command('npm run dist:chromium-deb --')
    .description('Build the player without Electron as a package for Debian and Raspberry Pi OS.')
    .addOption(
      new Option('--arch <arch>', 'for which machine').choices(Object.keys(NODE_ARCH)).default('arm64'),
    )
    .option('--output <folder>', 'where the package goes', 'release')
    .parse();
  const { arch, output } = command.opts<{ arch: DebArch; output: string }>();
  console.log(buildChromiumDeb(arch, resolve(output)));
}
