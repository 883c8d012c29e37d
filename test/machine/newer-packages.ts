import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { run } from '../../scripts/dist/run.ts';
import { CACHE } from './host.ts';
import type { System } from './systems.ts';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** A server that offers packages to apt. */
export interface PackageServer {
  /** Lines of a `sources.list`, as a machine reaches it. */
  readonly source: string;
  close(): void;
}

/** What the version of a newer package ends with. */
export const NEWER = '+trial1';

/** The same package under a higher version: apt and dpkg do all that they do for a real one. Returns its file. */
function repack({ name, version }: InstalledPackage, system: System, folder: string): string {
  const kept = join(
    CACHE,
    'packages',
    `${system.suite}-${system.arch}`,
    `${name}_${version}_${system.arch}.deb`,
  );
  if (!existsSync(kept))
    throw new Error(`${kept} is not there: remove the image of the system and run again`);
  const tree = join(folder, name);
  rmSync(tree, { recursive: true, force: true });
  run('dpkg-deb', ['-R', kept, tree]);
  const control = join(tree, 'DEBIAN/control');
  // The version, and the relations between packages of one source.
  writeFileSync(control, readFileSync(control, 'utf8').replaceAll(version, `${version}${NEWER}`));
  const file = join(folder, `${name}_${version}${NEWER}_${system.arch}.deb`);
  run('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, file]);
  rmSync(tree, { recursive: true, force: true });
  return file;
}

const entry = (file: string): string =>
  [
    run('dpkg-deb', ['-f', file]).trimEnd(),
    `Filename: ./${basename(file)}`,
    `Size: ${statSync(file).size}`,
    `SHA256: ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
    '',
  ].join('\n');

/** Offers newer versions of packages that a machine has, at `port` of this machine. */
export function offerNewer(
  packages: readonly InstalledPackage[],
  { system, folder, port, seenAt }: { system: System; folder: string; port: number; seenAt: string },
): PackageServer {
  mkdirSync(folder, { recursive: true });
  const files = packages.map((each) => repack(each, system, folder));
  writeFileSync(join(folder, 'Packages'), files.map(entry).join('\n'));
  const server = createServer((request, response) => {
    const name = basename(decodeURIComponent(new URL(request.url ?? '/', 'http://packages').pathname));
    const file = join(folder, name);
    if (!existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
    else response.end(readFileSync(file));
  });
  server.listen(port, '127.0.0.1');
  return {
    source: `deb [trusted=yes] http://${seenAt}:${port}/ ./`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
