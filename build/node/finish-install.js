#!/usr/bin/env node
/**
 * Does what npm leaves undone on a machine whose Node is older than the one that this project brings:
 * - npm passes over optional packages that ask for a newer Node than npm runs on, without a word. Before Node 20.19 and
 *   22.12 parts of the build are among them.
 * - npm 10 links the `node` of this platform, and deletes the link with those of the platforms that it passes over.
 *
 * Plain JavaScript, because an old Node may have to run it, and a command of its own, because a shell that has looked
 * for `node` once does not look again. Asks nobody where nothing is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const PLATFORM = process.platform === 'win32' ? 'win' : process.platform;
const NODE_PACKAGE = `node-${PLATFORM}-${process.arch}`;
const NODE = join(REPOSITORY, 'node_modules', NODE_PACKAGE, PLATFORM === 'win' ? 'bin/node.exe' : 'bin/node');

const names = z.union([z.string().transform((name) => [name]), z.array(z.string())]).optional();
const lockFile = z.object({
  packages: z.record(z.string(), z.object({ optional: z.boolean().default(false), os: names, cpu: names })),
});

const { packages } = lockFile.parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')));
const passedOver = Object.entries(packages).filter(
  ([path, { optional, os, cpu }]) =>
    optional &&
    os?.includes(process.platform) &&
    cpu?.includes(process.arch) &&
    // The Node that this project brings needs glibc.
    !path.includes('musl') &&
    !existsSync(join(REPOSITORY, path)),
);
if (passedOver.length > 0) {
  console.log(
    `Fetching ${passedOver.length} packages that npm passed over on this Node (${process.version}).`,
  );
  npm('install', '--no-save', '--no-audit', '--no-fund');
}
if (existsSync(NODE) && !existsSync(join(REPOSITORY, 'node_modules/.bin/node'))) npm('rebuild', NODE_PACKAGE);

/** Runs npm on the Node of the project, and ends with its exit status when it fails. */
function npm(...options) {
  const program = process.env['npm_execpath'];
  if (!program) throw new Error('Packages are missing. Run "npm install", then this command with "npm run".');
  const { status, stdout } = spawnSync(existsSync(NODE) ? NODE : process.execPath, [program, ...options], {
    cwd: REPOSITORY,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return;
  process.stderr.write(stdout ?? '');
  process.exit(status || 1);
}
