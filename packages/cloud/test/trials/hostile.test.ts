import { beforeAll, expect, test } from 'vitest';
import { hostileTrial } from './hostile/hostile-trial.ts';
import type { HostileReport } from './hostile/hostile-trial.ts';
import { SHORT_PROFILE } from './hostile/load-profile.ts';

const ATTACKS = [
  'pairing starts',
  'wrong keys',
  'wrong upgrades',
  'slow bodies',
  'odd bodies',
  'giant rules',
];

let report: HostileReport;
beforeAll(async () => {
  // Times depend on the machine; only the long trial, `npm run trial:hostile`, checks them.
  report = await hostileTrial({
    seconds: 11,
    attacks: ATTACKS,
    screens: 12,
    seed: 1,
    pressure: SHORT_PROFILE,
    checksTimes: false,
  });
  // Takes 15 s; a busy machine is slow to start a cloud and a media process.
}, 400_000);

test('steady clients get no unexpected errors and lose no data while all attacks run at once', () => {
  expect(report.broken).toEqual([]);
  // The trial is valid only if there was load.
  expect(report.records.kinds.get('plays')?.durationsMs.length).toBeGreaterThan(10);
  for (const attack of ATTACKS) {
    expect(report.attackers.tally, attack).toHaveProperty(attack);
  }
});

test('the disk was completely full during the trial', ({ skip }) => {
  if (report.diskSkipReason !== null) {
    skip(report.diskSkipReason);
  }
  expect(report.records.failures.some(({ reason }) => reason === 'disk_full')).toBe(true);
});
