/**
 * `npm run audit`: asks the registry for known vulnerabilities of the runtime dependencies. Exits with 1 when there are
 * any; prints NOT CHECKED when the registry has no vulnerability data.
 */
import { z } from 'zod';
import { parseJson } from '../../src/core/parse-json.ts';
import { REPOSITORY } from '../repository.ts';
import { run } from '../run.ts';
import { readLockedPackages } from './locked-packages.ts';

const auditReport = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), fixAvailable: z.unknown() }),
  ),
});

const count = readLockedPackages(REPOSITORY).length;
// npm fails when there are vulnerabilities.
const report = run('npm', ['audit', '--omit=dev', '--json'], { cwd: REPOSITORY, mayFail: true });
const vulnerabilities = auditReport.safeParse(parseJson(report)).data?.vulnerabilities;
if (!vulnerabilities) {
  console.log(
    `NOT CHECKED: the registry has no vulnerability data for the ${count} packages of the product.`,
  );
  console.log('Use another registry, see docs/operations.md.');
} else {
  for (const [name, { severity, range }] of Object.entries(vulnerabilities)) {
    console.log(`${severity}  ${name} ${range}`);
  }
  console.log(`${count} packages, ${Object.keys(vulnerabilities).length} with known vulnerabilities`);
  process.exitCode = Object.keys(vulnerabilities).length > 0 ? 1 : 0;
}
