/**
 * `npm run test:resolve`: lets apt resolve the documented installation on each supported release, without installing
 * anything. Needs root for nothing, and the package lists of the releases: one that cannot be reached is `SKIPPED`.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { buildChromiumDeb } from '../../../scripts/dist/chromium-deb.ts';
import { packApps } from '../../../scripts/dist/pack.ts';
import { readPackageJson } from '../../../scripts/repository.ts';
import { run } from '../../../scripts/run.ts';
import { documentedCommands, REPOSITORY } from '../documents.ts';
import { mirrors } from '../host.ts';
import { commandsFor, readPlayerPackage } from '../player-package.ts';
import type { PlayerPackage } from '../player-package.ts';

interface Release {
  /** Lines of `sources.list`. */
  readonly sources: () => readonly string[];
  readonly packages: readonly PlayerPackage['name'][];
  readonly displayServer: 'labwc' | 'xserver-xorg';
}

const debian = (suite: string) => () => {
  const { main, security } = mirrors();
  return [`${main} ${suite} main`, `${main} ${suite}-updates main`, `${security} ${suite}-security main`];
};
const ubuntu = (suite: string) => () =>
  ['', '-updates', '-security'].map(
    (part) => `http://archive.ubuntu.com/ubuntu ${suite}${part} main universe`,
  );

const RELEASES: Readonly<Record<string, Release>> = {
  debian12: {
    sources: debian('bookworm'),
    packages: ['placard', 'placard-chromium'],
    displayServer: 'xserver-xorg',
  },
  debian13: { sources: debian('trixie'), packages: ['placard', 'placard-chromium'], displayServer: 'labwc' },
  // Ubuntu's Chromium is a snap.
  'ubuntu22.04': { sources: ubuntu('jammy'), packages: ['placard'], displayServer: 'xserver-xorg' },
  'ubuntu24.04': { sources: ubuntu('noble'), packages: ['placard'], displayServer: 'labwc' },
};
const names = Object.keys(RELEASES);

/** Packages that must not be installed, with the reason. */
const UNWANTED: Readonly<Record<string, string>> = {
  'liboss4-salsa-asound2': 'a substitute for libasound2 that plays no sound',
  lightdm: 'a log-in screen',
  gdm3: 'a log-in screen',
};

const { release: only = names } = new Command('npm run test:resolve --')
  .description('Let apt resolve the documented installation on each supported release.')
  .addOption(new Option('--release <name...>', 'only these releases').choices(names))
  .parse()
  .opts<{ release?: string[] }>();

/** Runs apt-get in a system of its own below `root`, in which nothing is installed. */
function aptGet(root: string, args: readonly string[], cwd: string): string {
  const options = [
    `Dir=${root}`,
    `Dir::State::status=${join(root, 'status')}`,
    'APT::Architecture=amd64',
    'APT::Architectures::=amd64',
    'APT::Sandbox::User=root',
  ];
  return run('apt-get', [...options.flatMap((option) => ['-o', option]), ...args], {
    cwd,
    env: { ...process.env, LC_ALL: 'C' },
  });
}

/** Names of the packages that the documented commands would install. */
function resolve(root: string, player: PlayerPackage): string[] {
  copyFileSync(player.file, join(root, player.fileName));
  const command = commandsFor(player, documentedCommands('install-linux.md', 'install')).find((line) =>
    line.startsWith('sudo apt install '),
  );
  const args = command!.split(' ').slice(2);
  const output = aptGet(root, ['--simulate', '--yes', ...args], root);
  return [...output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
}

function findProblems(
  { displayServer }: Release,
  player: PlayerPackage,
  installed: readonly string[],
): string[] {
  const wanted = [player.name, displayServer, ...(player.name === 'placard' ? [] : ['chromium'])];
  return [
    ...wanted.filter((name) => !installed.includes(name)).map((name) => `${name} is not installed`),
    ...installed.filter((name) => name in UNWANTED).map((name) => `${name} is installed: ${UNWANTED[name]}`),
  ];
}

const work = mkdtempSync(join(tmpdir(), 'placard-resolve-'));
try {
  packApps('linux', work);
  const { version } = readPackageJson(REPOSITORY);
  const packages = [
    join(work, `placard_${version}_amd64.deb`),
    buildChromiumDeb('amd64', join(work, 'debs'), 'none'),
  ].map(readPlayerPackage);
  for (const name of only) {
    const release = RELEASES[name]!;
    const root = join(work, name);
    for (const folder of [
      'etc/apt/apt.conf.d',
      'etc/apt/preferences.d',
      'var/lib/apt/lists/partial',
      'var/cache/apt/archives/partial',
    ]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    writeFileSync(join(root, 'status'), '');
    // Nothing of it is installed, so the keys of all distributions are not needed.
    const lines = release.sources().map((source) => `deb [trusted=yes] ${source}\n`);
    writeFileSync(join(root, 'etc/apt/sources.list'), lines.join(''));
    try {
      aptGet(root, ['update', '--error-on=any'], root);
    } catch (error) {
      console.log(`SKIPPED ${name}: its package lists cannot be loaded: ${String(error)}`);
      continue;
    }
    for (const player of packages.filter((each) => release.packages.includes(each.name))) {
      const installed = resolve(root, player);
      const problems = findProblems(release, player, installed);
      console.log(
        `${problems.length > 0 ? 'FAILED ' : 'ok     '} ${name} ${player.name}: ${installed.length} packages, ${release.displayServer}${problems.map((problem) => `\n  ${problem}`).join('')}`,
      );
      if (problems.length > 0) {
        process.exitCode = 1;
      }
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
