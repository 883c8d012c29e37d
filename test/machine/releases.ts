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
import { CHROMIUM_PACKAGE, type DebArch } from '../../scripts/dist/chromium-deb.ts';
import { run } from '../../scripts/dist/run.ts';
import { REPOSITORY } from './documents.ts';
import { CACHE } from './host.ts';

/** Packages of several versions, signed by a key of their own, and the server that offers them. */
export interface Releases {
  /** The version that is installed first; it trusts the key. */
  readonly first: string;
  /** Address of the feed, as a machine sees it. */
  readonly feedUrl: string;
  /** Signs a version and puts it on offer; `player` takes the place of the player's program, if given. */
  offer(version: string, player?: string): void;
  close(): void;
}

const NODE = process.execPath;

/** A copy of this tree that has a release key of its own built in, with the key and the package made of it. */
interface SignedTree {
  copy: string;
  key: string;
  version: string;
  first: string;
}

/**
 * Built as `docs/operations.md` says. Kept as long as nothing has changed that the package is made of: the system that
 * it is installed on is then kept as well.
 */
function signedTree(arch: DebArch): SignedTree {
  const paths = run('git', ['ls-files', '-z'], { cwd: REPOSITORY }).split('\0').filter(Boolean);
  const print = createHash('sha256').update(REPOSITORY);
  for (const path of paths)
    if (!/^(docs|test)\/|\.md$/.test(path)) print.update(path).update(readFileSync(join(REPOSITORY, path)));
  const folder = join(CACHE, `signed-${arch}-${print.digest('hex').slice(0, 12)}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const made = mkdtempSync(join(CACHE, 'signing-'));
    const copy = join(made, 'tree');
    mkdirSync(copy);
    for (const path of paths) cpSync(join(REPOSITORY, path), join(copy, path));
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
    first: join(folder, 'debs', `${CHROMIUM_PACKAGE}_${version}_${arch}.deb`),
  };
}

/** What is offered is gone with `close`. */
export function buildReleases(arch: DebArch, port: number, seenAt: string): Releases {
  const { copy, key, version, first } = signedTree(arch);
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
    first,
    feedUrl: `http://${seenAt}:${port}/feed.json`,
    offer(newer, player) {
      const tree = join(work, newer);
      run('dpkg-deb', ['-R', first, tree]);
      const control = join(tree, 'DEBIAN/control');
      writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${newer}`));
      const manifest = join(tree, 'opt/placard-chromium/package.json');
      writeFileSync(
        manifest,
        readFileSync(manifest, 'utf8').replace(`"version": "${version}"`, `"version": "${newer}"`),
      );
      if (player !== undefined) writeFileSync(join(tree, 'usr/bin/placard-player'), player, { mode: 0o755 });
      const deb = join(offered, `${CHROMIUM_PACKAGE}_${newer}_${arch}.deb`);
      // The first one is compressed as a release is; on these a machine need not spend minutes.
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
