#!/usr/bin/env node
/**
 * Completes an installation by npm on a Node that is older than the one this project uses:
 * - npm silently skips optional packages that need a newer Node than npm runs on. Before Node 20.19 and 22.12 the build
 *   needs some of them.
 * - npm 10 links the `node` of this platform, then deletes the link together with those of the platforms it skips.
 *
 * Plain JavaScript, because an old Node may run it; a separate command, because a shell caches where it found `node`.
 * Uses no network when nothing is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const PLATFORM = process.platform === 'win32' ? 'win' : process.platform;
const NODE_PACKAGE = `node-${PLATFORM}-${process.arch}`;
const NODE_PROGRAM = join(
  REPOSITORY,
  'node_modules',
  NODE_PACKAGE,
  PLATFORM === 'win' ? 'bin/node.exe' : 'bin/node',
);

const platformNames = z.union([z.string().transform((name) => [name]), z.array(z.string())]).optional();
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ optional: z.boolean().default(false), os: platformNames, cpu: platformNames }),
  ),
});

const { packages } = lockFile.parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')));
const skippedPackages = Object.entries(packages).filter(
  ([path, { optional, os, cpu }]) =>
    optional &&
    os?.includes(process.platform) &&
    cpu?.includes(process.arch) &&
    // The project's Node needs glibc.
    !path.includes('musl') &&
    !existsSync(join(REPOSITORY, path)),
);
if (skippedPackages.length > 0) {
  console.log(
    `Fetching ${skippedPackages.length} packages that npm skipped on this Node (${process.version}).`,
  );
  npm('install', '--no-save', '--no-audit', '--no-fund');
}
if (existsSync(NODE_PROGRAM) && !existsSync(join(REPOSITORY, 'node_modules/.bin/node'))) {
  npm('rebuild', NODE_PACKAGE);
}

/** Runs npm on the project's Node; exits with npm's status when it fails. */
function npm(...options) {
  const program = process.env['npm_execpath'];
  if (!program) {
    throw new Error('Packages are missing. Run "npm install", then this command with "npm run".');
  }
  const { status, stdout } = spawnSync(
    existsSync(NODE_PROGRAM) ? NODE_PROGRAM : process.execPath,
    [program, ...options],
    {
      cwd: REPOSITORY,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (status === 0) {
    return;
  }
  process.stderr.write(stdout ?? '');
  process.exit(status || 1);
}
