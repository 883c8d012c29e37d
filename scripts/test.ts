/** `npm test`: types, lint and format beside the tests, which mostly wait. Arguments go to vitest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runChecks } from './check.ts';
import { REPOSITORY } from './repository.ts';

const VITEST = join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
/** Projects with a command of their own. */
const LEFT_OUT = ['postgres', 'trials', 'measured-trials', 'soak'];

const projects = LEFT_OUT.map((name) => `--project=!${name}`);
const tests = spawn(process.execPath, [VITEST, 'run', ...projects, ...process.argv.slice(2)], {
  cwd: REPOSITORY,
  stdio: 'inherit',
});
const ended = once(tests, 'close');
let isChecked = false;
try {
  isChecked = await runChecks();
} finally {
  // Also when a check has failed, the tests end by themselves: only then databases and programs that they started are gone.
  const [code] = await ended;
  if (!isChecked) {
    process.stderr.write('Types, lint or format have failed: see above.\n');
  }
  process.exitCode = isChecked && code === 0 ? 0 : 1;
}
