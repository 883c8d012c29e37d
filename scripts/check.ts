/** Types, lint and format, at the same time: `npm run check`. Each prints what it finds when it has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { REPOSITORY } from './repository.ts';

const CHECKS = ['typecheck', 'lint', 'format:check'];

async function run(check: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--run', check], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code] = await once(child, 'close');
  process.stdout.write(output);
  if (code !== 0) {
    process.stderr.write(`${check} failed\n`);
  }
  return code === 0;
}

/** Whether all have found nothing. */
export async function runChecks(): Promise<boolean> {
  const results = await Promise.all(CHECKS.map(run));
  return results.every(Boolean);
}

if (import.meta.main) {
  process.exitCode = (await runChecks()) ? 0 : 1;
}
