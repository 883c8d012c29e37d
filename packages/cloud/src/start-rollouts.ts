import { DAY_MS, HOUR_MS } from './domain/durations.ts';
import type { Retention } from './domain/retention.ts';
import type { Job } from './jobs/job-runner.ts';
import { createRolloutJob } from './rollouts/advance-rollouts.ts';
import type { RolloutJobDeps } from './rollouts/advance-rollouts.ts';
import { deleteOldRollouts } from './rollouts/delete-devices.ts';

interface RolloutJobsDeps extends RolloutJobDeps {
  retention: Pick<Retention, 'auditDays'>;
}

/** The jobs that work on rollouts. */
export const createRolloutJobs = (deps: RolloutJobsDeps): Job[] => [
  { name: 'rollouts', intervalMs: 15_000, isForLeader: true, run: createRolloutJob(deps) },
  {
    name: 'old-rollouts',
    intervalMs: HOUR_MS,
    isForLeader: true,
    run: () => deleteOldRollouts(deps.database, deps.clock.nowMs() - deps.retention.auditDays * DAY_MS),
  },
];
