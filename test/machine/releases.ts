import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CHROMIUM_PACKAGE, NODE_ARCH } from '../../scripts/dist/chromium-deb.ts';
import type { DebArch } from '../../scripts/dist/chromium-deb.ts';
import { readPackageJson } from '../../scripts/repository.ts';
import { run } from '../../scripts/run.ts';
import { REPOSITORY } from './documents.ts';
import { CACHE_DIR } from './host.ts';
import { playerPackage } from './player-package.ts';
import type { PlayerPackage } from './player-package.ts';

/** Packages of several versions, signed with a separate key, and the server of their feed. */
export interface Releases {
  /** The package that is installed first; it trusts the key. */
  readonly firstPackage: string;
  /** URL of the feed, as machines reach it. */
  readonly feedUrl: string;
  /** Signs one of the versions and adds it to the feed. */
  publish(version: string): void;
  close(): void;
}

export interface Release {
  version: string;
  /** Makes a shell script that is started in place of the player's program, whose path it gets. */
  script?: (original: string) => string;
}

const NODE = process.execPath;
const VERSION = readPackageJson(REPOSITORY).version;

/** A copy of this source tree with its own release key built in, and the package built from the copy. */
interface SignedTree {
  copy: string;
  key: string;
  firstPackage: string;
}

const signedFiles = (folder: string) => ({ copy: join(folder, 'tree'), key: join(folder, 'release.key') });

/**
 * Built as `docs/operations.md` says. Cached until a source of the package changes, so that the image of the system
 * with this package stays valid as well.
 */
function signedTree(name: PlayerPackage['name'], arch: DebArch): SignedTree {
  const paths = run('git', ['ls-files', '-z'], { cwd: REPOSITORY }).split('\0').filter(Boolean);
  const fingerprint = createHash('sha256').update(REPOSITORY);
  for (const path of paths) {
    if (!/^(docs|test)\/|\.md$/.test(path)) {
      fingerprint.update(path).update(readFileSync(join(REPOSITORY, path)));
    }
  }
  const folder = join(CACHE_DIR, `signed-${name}-${arch}-${fingerprint.digest('hex').slice(0, 12)}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE_DIR, { recursive: true });
    const made = mkdtempSync(join(CACHE_DIR, 'signing-'));
    const { copy, key } = signedFiles(made);
    mkdirSync(copy);
    for (const path of paths) {
      cpSync(join(REPOSITORY, path), join(copy, path));
    }
    symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
    run(NODE, ['scripts/release/keygen.ts', key], { cwd: copy });
    run(NODE, ['--run', 'build'], { cwd: copy });
    buildPackage(copy, name, arch, join(made, 'first'));
    renameSync(made, folder);
  }
  const { fileName } = playerPackage('', { name, version: VERSION, arch });
  return { ...signedFiles(folder), firstPackage: join(folder, 'first', fileName) };
}

/** Builds the package of a source tree that is built itself, into a folder. */
function buildPackage(
  copy: string,
  name: PlayerPackage['name'],
  arch: DebArch,
  output: string,
  version = VERSION,
): void {
  const args =
    name === CHROMIUM_PACKAGE
      ? ['scripts/dist/chromium-deb.ts', '--arch', arch, '--output', output]
      : [
          'scripts/dist/build.ts',
          '--linux',
          'deb',
          `--${NODE_ARCH[arch]}`,
          `-c.directories.output=${output}`,
        ];
  const manifest = join(copy, 'package.json');
  const original = readFileSync(manifest, 'utf8');
  try {
    writeFileSync(manifest, original.replace(`"version": "${VERSION}"`, `"version": "${version}"`));
    run(NODE, args, { cwd: copy });
  } finally {
    writeFileSync(manifest, original);
  }
}

/**
 * Builds the first version of this package and these releases, and starts the feed server; `close` deletes all releases.
 * Nothing is built later: that blocks this process for minutes, in which it would miss that a server has closed a
 * connection.
 */
export function buildReleases(
  { name, program }: PlayerPackage,
  { arch, port, hostAddress }: { arch: DebArch; port: number; hostAddress: string },
  versions: readonly Release[],
): Releases {
  const { copy, key, firstPackage } = signedTree(name, arch);
  const work = mkdtempSync(join(tmpdir(), 'placard-releases-'));
  const offered = join(work, 'offered');
  mkdirSync(offered);
  const debs = new Map(versions.map((release) => [release.version, buildRelease(release)]));

  function buildRelease({ version, script }: Release): string {
    const { fileName } = playerPackage('', { name, version, arch });
    buildPackage(copy, name, arch, join(work, 'built'), version);
    const tree = join(work, version);
    run('dpkg-deb', ['-R', join(work, 'built', fileName), tree]);
    if (script !== undefined) {
      const replaced = join(tree, program);
      renameSync(replaced, `${replaced}.original`);
      writeFileSync(replaced, `#!/bin/sh\n${script(`${program}.original`)}`, { mode: 0o755 });
    }
    const deb = join(offered, fileName);
    // Only the first package is compressed like a release; with these, dpkg on the machine is minutes faster.
    run('dpkg-deb', ['--build', '--root-owner-group', '-Zgzip', '-z1', tree, deb]);
    rmSync(tree, { recursive: true });
    return deb;
  }

  const server = createServer((request, response) => {
    const name = basename(new URL(request.url ?? '/', 'http://feed').pathname);
    try {
      const bytes = readFileSync(join(offered, name));
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from > 0 ? 206 : 200, {
        'content-length': bytes.length - from,
        ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
      });
      response.end(bytes.subarray(from));
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(port, '127.0.0.1');

  return {
    firstPackage,
    feedUrl: `http://${hostAddress}:${port}/feed.json`,
    publish(version) {
      const deb = debs.get(version);
      if (deb === undefined) {
        throw new Error(`${version} was not built`);
      }
      const feed = join(offered, 'feed.json');
      run(NODE, ['scripts/release/sign.ts', '--key', key, '--feed', feed, deb], { cwd: copy });
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(work, { recursive: true, force: true });
    },
  };
}
