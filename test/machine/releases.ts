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
import { CHROMIUM_PACKAGE } from '../../scripts/dist/chromium-deb.ts';
import type { DebArch } from '../../scripts/dist/chromium-deb.ts';
import { run } from '../../scripts/run.ts';
import { REPOSITORY } from './documents.ts';
import { CACHE_DIR } from './host.ts';

/** Packages of several versions, signed with a separate key, and the server of their feed. */
export interface Releases {
  /** The package that is installed first; it trusts the key. */
  readonly firstPackage: string;
  /** URL of the feed, as machines reach it. */
  readonly feedUrl: string;
  /** Signs a version and adds it to the feed; `player` replaces the player's program, if given. */
  publish(version: string, player?: string): void;
  close(): void;
}

const NODE = process.execPath;

/** A copy of this source tree with its own release key built in, the key, and the package built from the copy. */
interface SignedTree {
  copy: string;
  key: string;
  version: string;
  firstPackage: string;
}

/**
 * Built as `docs/operations.md` says. Cached until a source of the package changes, so that the image of the system
 * with this package stays valid as well.
 */
function signedTree(arch: DebArch): SignedTree {
  const paths = run('git', ['ls-files', '-z'], { cwd: REPOSITORY }).split('\0').filter(Boolean);
  const fingerprint = createHash('sha256').update(REPOSITORY);
  for (const path of paths) {
    if (!/^(docs|test)\/|\.md$/.test(path)) {
      fingerprint.update(path).update(readFileSync(join(REPOSITORY, path)));
    }
  }
  const folder = join(CACHE_DIR, `signed-${arch}-${fingerprint.digest('hex').slice(0, 12)}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE_DIR, { recursive: true });
    const made = mkdtempSync(join(CACHE_DIR, 'signing-'));
    const copy = join(made, 'tree');
    mkdirSync(copy);
    for (const path of paths) {
      cpSync(join(REPOSITORY, path), join(copy, path));
    }
    symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
    const inCopy = (...args: string[]) => run(NODE, args, { cwd: copy });
    inCopy('scripts/release/keygen.ts', join(made, 'release.key'));
    inCopy('--run', 'build');
    inCopy('scripts/dist/chromium-deb.ts', '--arch', arch, '--output', join(made, 'debs'));
    renameSync(made, folder);
  }
  const copy = join(folder, 'tree');
  const version = /"version": "([^"]+)"/.exec(readFileSync(join(copy, 'package.json'), 'utf8'))![1]!;
  return {
    copy,
    key: join(folder, 'release.key'),
    version,
    firstPackage: join(folder, 'debs', `${CHROMIUM_PACKAGE}_${version}_${arch}.deb`),
  };
}

/** Builds the first package and starts the feed server; `close` deletes all releases. */
export function buildReleases(arch: DebArch, port: number, hostAddress: string): Releases {
  const { copy, key, version, firstPackage } = signedTree(arch);
  const work = mkdtempSync(join(tmpdir(), 'placard-releases-'));
  const offered = join(work, 'offered');
  mkdirSync(offered);

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
    publish(newer, player) {
      const tree = join(work, newer);
      run('dpkg-deb', ['-R', firstPackage, tree]);
      const control = join(tree, 'DEBIAN/control');
      writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${newer}`));
      const manifest = join(tree, 'opt/placard-chromium/package.json');
      writeFileSync(
        manifest,
        readFileSync(manifest, 'utf8').replace(`"version": "${version}"`, `"version": "${newer}"`),
      );
      if (player !== undefined) {
        writeFileSync(join(tree, 'usr/bin/placard-player'), player, { mode: 0o755 });
      }
      const deb = join(offered, `${CHROMIUM_PACKAGE}_${newer}_${arch}.deb`);
      // Only the first package is compressed like a release; with these, dpkg on the machine is minutes faster.
      run('dpkg-deb', ['--build', '--root-owner-group', '-Zgzip', '-z1', tree, deb]);
      const feed = join(offered, 'feed.json');
      run(NODE, ['scripts/release/sign.ts', '--key', key, '--feed', feed, deb], { cwd: copy });
      rmSync(tree, { recursive: true });
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(work, { recursive: true, force: true });
    },
  };
}
