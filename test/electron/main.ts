/**
 * `npm run test:electron`: tests the real Electron, on a virtual display where there is none. Without the binary, which
 * cannot be downloaded everywhere, it prints SKIPPED and exits with 0.
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { hasDisplay } from '../../src/shells/choose-shell.ts';
import { findElectronBinary } from '../../src/shells/electron/electron-binary.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { env, platform } = process;

function skip(why: string): never {
  console.log(`SKIPPED: ${why}`);
  process.exit(0);
}

if (findElectronBinary(env) === null) {
  skip('no Electron binary (npx install-electron fetches it)');
}
const vitest = [
  join(ROOT, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--config',
  'test/electron/vitest.config.ts',
];
const onDisplay = hasDisplay(platform, env);
if (!onDisplay && spawnSync('sh', ['-c', 'command -v xvfb-run']).status !== 0) {
  skip('no display and no xvfb-run');
}
const [command, ...args] = onDisplay
  ? [process.execPath, ...vitest]
  : ['xvfb-run', '--auto-servernum', process.execPath, ...vitest];
process.exitCode = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
