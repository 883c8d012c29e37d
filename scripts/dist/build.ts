/**
 * `npm run dist -- --linux --x64 --arm64`, `npm run dist -- --win --x64`: builds the packages that include Electron into
 * `release`. The arguments are those of electron-builder, which downloads its tools and Electron.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { builderEnv } from './builder-env.ts';
import { REPOSITORY } from './pack.ts';

const builder = join(REPOSITORY, 'node_modules/.bin/electron-builder');
const { status, error } = spawnSync(
  process.execPath,
  [builder, '--publish=never', ...process.argv.slice(2)],
  { cwd: REPOSITORY, env: builderEnv(process.env), stdio: 'inherit' },
);
if (error) {
  throw error;
}
process.exitCode = status ?? 1;
