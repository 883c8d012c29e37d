import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createManualClock } from '../test/support/manual-clock.ts';
import { openTestDatabase } from '../test/support/open-test-database.ts';
import { startJobs } from './jobs/job-runner.ts';
import { createAlertJobs } from './start-alerts.ts';

const log = pino({ level: 'silent' });
const isLeader = () => true;

test('that the cloud is running is recorded while a look at the rules takes long', async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 20));
  const database = await openTestDatabase({ clock });
  const look = Promise.withResolvers<never[]>();
  let looks = 0;
  const listActive = () => {
    looks += 1;
    return look.promise;
  };
  const jobs = await createAlertJobs({
    database: { ...database, alertRules: { ...database.alertRules, listActive } },
    clock,
    log,
    newId: (kind) => kind,
    isLeader,
    writesBlockedUntilMs: () => 0,
    options: {},
    publicUrl: () => '',
    shutdownSteps: [],
  });
  const stop = startJobs(jobs, { clock, log, isLeader });
  onTestFinished(async () => {
    look.resolve([]);
    await stop();
  });
  const startedMs = clock.nowMs();
  for (let minute = 1; minute <= 3; minute++) {
    await eventually(async () => {
      clock.advance(15_000);
      const [span] = await database.presence.newestObserved(1);
      expect(span?.started_at).toBe(startedMs);
      expect(span?.ended_at).toBeGreaterThanOrEqual(startedMs + minute * 60_000);
    });
  }
  expect(looks).toBe(1);
});
