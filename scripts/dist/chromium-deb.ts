/**
 * `npm run dist:chromium-deb -- --arch arm64`: the player without Electron as a package for Debian and Raspberry Pi OS.
 * It uses the system's Chromium, which decodes video in hardware on a Raspberry Pi, and includes its own Node, because
 * those systems have an older one.
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
import { readPackageJson, REPOSITORY } from '../repository.ts';
import { findProductionPackages } from '../dependencies/production-packages.ts';
import { folderSizeKb, run } from '../run.ts';
import { installedPath, SYSTEM_FILES } from './system-files.ts';

export const CHROMIUM_PACKAGE = 'placard-chromium';
const APP_DIR = 'opt/placard-chromium';
export const NODE_ARCH = { amd64: 'x64', arm64: 'arm64' } as const;
export type DebArch = keyof typeof NODE_ARCH;
/** Read by Debian's Chromium; a conffile, so an administrator may change it. */
const POLICY_PATH = 'etc/chromium/policies/managed/placard.json';

const DEPENDS = [
  'chromium | chromium-browser',
  'libc6 (>= 2.28)',
  'libstdc++6',
  // apt takes the first that exists. No xinit: it depends on xterm, whose luit conflicts with Chromium's x11-utils.
  'labwc | xserver-xorg',
  'libpam-systemd',
  'openssl',
  'polkitd | policykit-1',
];

const LAUNCHER_SCRIPT = `#!/bin/sh
export PLACARD_SHELL="$\{PLACARD_SHELL:-chromium}"
exec /${APP_DIR}/bin/node /${APP_DIR}/dist/shells/main.js "$@"
`;

/**
 * Builds the package into `output` and returns its path. `dist` has to be built. `compression: 'none'` is for packages
 * that are only checked: compressing takes longer than all the rest.
 */
export function buildChromiumDeb(arch: DebArch, output: string, compression: 'xz' | 'none' = 'xz'): string {
  const { version, description } = readPackageJson(REPOSITORY);
  const tree = mkdtempSync(join(tmpdir(), 'placard-deb-'));
  try {
    chmodSync(tree, 0o755);
    const app = join(tree, APP_DIR);
    for (const part of [
      'dist/renderer',
      'dist/runtime',
      'dist/shells/main.js',
      'dist/chunks',
      'package.json',
    ]) {
      cpSync(join(REPOSITORY, part), join(app, part), { recursive: true });
    }
    for (const folder of findProductionPackages(REPOSITORY)) {
      copyPackage(folder, app, NODE_ARCH[arch]);
    }
    copyNode(join(app, 'bin/node'), NODE_ARCH[arch]);
    writeFileWithMode(join(tree, 'usr/bin/placard-player'), LAUNCHER_SCRIPT, 0o755);
    for (const file of SYSTEM_FILES) {
      cpSync(join(REPOSITORY, 'build/linux', file.source), join(tree, installedPath(file)));
    }
    cpSync(join(REPOSITORY, 'build/linux/policies/placard.json'), join(tree, POLICY_PATH));
    writeFileWithMode(
      join(tree, 'DEBIAN/control'),
      [
        `Package: ${CHROMIUM_PACKAGE}`,
        `Version: ${version}`,
        `Architecture: ${arch}`,
        // The update helper requires this much free space before it rebuilds a package for a rollback.
        `Installed-Size: ${folderSizeKb(tree)}`,
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
    // noawait: Chromium's upgrade must not wait for the restart of the player.
    writeFileWithMode(join(tree, 'DEBIAN/triggers'), 'interest-noawait /usr/lib/chromium\n', 0o644);
    writeFileWithMode(join(tree, 'DEBIAN/conffiles'), `/${POLICY_PATH}\n`, 0o644);
    for (const name of ['postinst', 'prerm', 'postrm']) {
      writeFileWithMode(
        join(tree, 'DEBIAN', name),
        readFileSync(join(REPOSITORY, `build/linux/${name}.sh`), 'utf8'),
        0o755,
      );
    }
    mkdirSync(output, { recursive: true });
    const file = join(output, `${CHROMIUM_PACKAGE}_${version}_${arch}.deb`);
    run('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, tree, file]);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Copies a package without its build files, and with the native module of this target only. */
function copyPackage(folder: string, app: string, nodeArch: string): void {
  const from = join(REPOSITORY, folder);
  const native = `linux-${nodeArch}.node`;
  cpSync(from, join(app, folder), {
    recursive: true,
    filter: (path) => {
      const inside = path.slice(from.length + 1);
      // Nested packages are copied separately.
      if (inside.split('/').includes('node_modules')) {
        return false;
      }
      if (folder === 'node_modules/better-sqlite3' && /^(deps|src|binding\.gyp)(\/|$)/.test(inside)) {
        return false;
      }
      return !inside.endsWith('.map') && (!inside.endsWith('.node') || basename(inside) === native);
    },
  });
}

/** Copies the Node that the project uses; for another architecture, downloads the same version from the registry. */
function copyNode(target: string, nodeArch: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const installedNode = join(REPOSITORY, `node_modules/node-linux-${nodeArch}/bin/node`);
  if (nodeArch === process.arch && existsSync(installedNode)) {
    cpSync(installedNode, target);
  } else {
    const { version } = readPackageJson(join(REPOSITORY, 'build/node'));
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

function writeFileWithMode(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

if (import.meta.main) {
  const command = new Command('npm run dist:chromium-deb --')
    .description('Build the player without Electron as a package for Debian and Raspberry Pi OS.')
    .addOption(
      new Option('--arch <arch>', 'architecture of the target machine')
        .choices(Object.keys(NODE_ARCH))
        .default('arm64'),
    )
    .option('--output <folder>', 'output folder', 'release')
    .parse();
  const { arch, output } = command.opts<{ arch: DebArch; output: string }>();
  console.log(buildChromiumDeb(arch, resolve(output)));
}
