import { errorMessage } from '../../src/core/error-details.ts';

/** A check throws when it fails, and returns the reason when it cannot run on this machine. */
export type Check = () => void | string | Promise<void | string>;

/** One line for each check: `ok`, `FAILED` with the reason, `SKIPPED` with the reason. */
export function createReport(print: (line: string) => void) {
  const count = { ok: 0, failed: 0, skipped: 0 };
  return {
    count,
    async check(name: string, check: Check): Promise<boolean> {
      try {
        const skipped = await check();
        if (typeof skipped === 'string') {
          count.skipped++;
          print(`SKIPPED  ${name}: ${skipped}`);
          return false;
        }
        count.ok++;
        print(`ok       ${name}`);
        return true;
      } catch (error) {
        count.failed++;
        print(`FAILED   ${name}: ${errorMessage(error)}`);
        return false;
      }
    },
  };
}

/** Throws one error that lists all problems, if there are any. */
export function throwOnProblems(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new Error(problems.join('; '));
  }
}
