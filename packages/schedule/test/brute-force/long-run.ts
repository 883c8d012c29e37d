/**
 * The comparison of `wall-clock.simulation.test.ts` in every zone of the runtime, around every offset change in a range of years:
 *
 *     npx node packages/schedule/test/brute-force/long-run.ts [seed] [first year] [last year]
 */
import { createTimeZone } from '../../src/time-zone.ts';
import { compareOverStretch } from './compare.ts';

const [seed = 1, firstYear = 2026, lastYear = 2027] = process.argv.slice(2).map(Number);
const endMs = Date.UTC(lastYear + 1, 0, 1);
let compared = 0;
let stretches = 0;
let different = 0;

for (const name of Intl.supportedValuesOf('timeZone')) {
  const zone = createTimeZone(name);
  for (let span = zone.spanAt(Date.UTC(firstYear, 0, 1)); span.untilMs < endMs;) {
    const next = zone.spanAt(span.untilMs);
    if (next.offsetMs !== span.offsetMs) {
      const about = new Date(span.untilMs).toISOString();
      const result = compareOverStretch({ zone: name, about }, seed + stretches, 6, 60);
      stretches++;
      compared += result.compared;
      different += result.differences.length;
      for (const difference of result.differences.slice(0, 2)) {
        process.stdout.write(`${difference}\n`);
      }
    }
    span = next;
  }
}
process.stdout.write(`${compared} results compared over ${stretches} offset changes, ${different} differ\n`);
process.exitCode = different === 0 ? 0 : 1;
