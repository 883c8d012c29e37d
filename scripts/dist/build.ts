/**
 * `npm run dist -- --linux --x64 --arm64`, `npm run dist -- --win --x64`: builds the packages that include Electron into
 * `release`. The arguments are those of electron-builder, which downloads its tools and Electron.
 */
import { join } from 'node:path';
import { builderEnv } from './builder-env.ts';
import { errorMessage } from '../../src/core/error-details.ts';
import { REPOSITORY } from '../repository.ts';
import { run } from '../run.ts';

const builder = join(REPOSITORY, 'node_modules/.bin/electron-builder');
try {
  run(process.execPath, [builder, '--publish=never', ...process.argv.slice(2)], {
    cwd: REPOSITORY,
    env: builderEnv(process.env),
    printOutput: true,
  });
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}
