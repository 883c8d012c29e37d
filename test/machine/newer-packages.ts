import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { run } from '../../scripts/run.ts';
import { CACHE_DIR } from './host.ts';
import type { System } from './systems.ts';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** An HTTP server with packages for apt. */
export interface PackageServer {
  /** Lines for `sources.list`, with the address that machines use. */
  readonly source: string;
  close(): void;
}

/** Suffix of the version of a newer package. */
export const NEWER_SUFFIX = '+trial1';

/** The same package with a higher version, so that apt and dpkg upgrade it like a real one. Returns its file. */
function repack({ name, version }: InstalledPackage, system: System, folder: string): string {
  const cachedPackage = join(
    CACHE_DIR,
    'packages',
    `${system.suite}-${system.arch}`,
    `${name}_${version}_${system.arch}.deb`,
  );
  if (!existsSync(cachedPackage)) {
    throw new Error(`${cachedPackage} is missing: remove the image of the system and run again`);
  }
  const tree = join(folder, name);
  rmSync(tree, { recursive: true, force: true });
  run('dpkg-deb', ['-R', cachedPackage, tree]);
  const control = join(tree, 'DEBIAN/control');
  // Also replaces the version in dependencies between packages of the same source.
  writeFileSync(control, readFileSync(control, 'utf8').replaceAll(version, `${version}${NEWER_SUFFIX}`));
  const file = join(folder, `${name}_${version}${NEWER_SUFFIX}_${system.arch}.deb`);
  run('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, file]);
  rmSync(tree, { recursive: true, force: true });
  return file;
}

const packagesEntry = (file: string): string =>
  [
    run('dpkg-deb', ['-f', file]).trimEnd(),
    `Filename: ./${basename(file)}`,
    `Size: ${statSync(file).size}`,
    `SHA256: ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
    '',
  ].join('\n');

/** Serves newer versions of packages that a machine has, at `port` of the host. */
export function serveNewerPackages(
  packages: readonly InstalledPackage[],
  {
    system,
    folder,
    port,
    hostAddress,
  }: { system: System; folder: string; port: number; hostAddress: string },
): PackageServer {
  mkdirSync(folder, { recursive: true });
  const files = packages.map((each) => repack(each, system, folder));
  writeFileSync(join(folder, 'Packages'), files.map(packagesEntry).join('\n'));
  const server = createServer((request, response) => {
    const name = basename(decodeURIComponent(new URL(request.url ?? '/', 'http://packages').pathname));
    const file = join(folder, name);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
    } else {
      response.end(readFileSync(file));
    }
  });
  server.listen(port, '127.0.0.1');
  return {
    source: `deb [trusted=yes] http://${hostAddress}:${port}/ ./`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
