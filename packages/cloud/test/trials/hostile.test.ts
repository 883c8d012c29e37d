import { beforeAll, expect, test } from 'vitest';
import { hostileTrial } from './hostile/hostile-trial.ts';
import type { HostileReport } from './hostile/hostile-trial.ts';
import { SHORT } from './hostile/pressure.ts';

let report: HostileReport;
beforeAll(async () => {
  // Times are figures of the machine; the long form, `npm run trial:hostile`, judges them.
  report = await hostileTrial({ seconds: 11, screens: 12, seed: 1, pressure: SHORT, judgesTimes: false });
  // Takes 15 s; a machine that does ten other things takes its time to start a cloud and a process for media.
}, 400_000);

test('steady clients see no wrong error and lose nothing while all attacks run at once', () => {
  expect(report.broken).toEqual([]);
  // A trial in which nothing was under way proves nothing.
  expect(report.records.kinds.get('plays')?.tookMs.length).toBeGreaterThan(10);
  for (const attack of [
    'pairing starts',
    'wrong keys',
    'wrong upgrades',
    'slow bodies',
    'odd bodies',
    'giant rules',
  ])
    expect(report.attackers.tally, attack).toHaveProperty(attack);
});

test('the disk was full to its last block meanwhile', ({ skip }) => {
  if (report.diskNotTried !== null) skip(report.diskNotTried);
  expect(report.records.troubles.some(({ reason }) => reason === 'disk_full')).toBe(true);
});
