/**
 * `npm run audit`: asks the registry for known weaknesses of what the product needs at run time. Ends with 1 when there
 * are any; a registry that gives no such answer is said plainly, and is no answer.
 */
import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import { REPOSITORY } from './pack.ts';
import { lockedPackages } from './locked-packages.ts';

const answer = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), fixAvailable: z.unknown() }),
  ),
});

const count = lockedPackages(REPOSITORY).length;
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
});
const found = answer.safeParse(parse(stdout)).data?.vulnerabilities;
if (!found) {
  console.log(
    `NOT CHECKED: the registry gives no list of weaknesses for the ${count} packages of the product.`,
  );
  console.log('Ask one that does, as docs/operations.md says.');
} else {
  for (const [name, { severity, range }] of Object.entries(found))
    console.log(`${severity}  ${name} ${range}`);
  console.log(`${count} packages, ${Object.keys(found).length} with known weaknesses`);
  process.exitCode = Object.keys(found).length > 0 ? 1 : 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
