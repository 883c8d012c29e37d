import { createAlertEvaluator } from './http/alerts/evaluate-alerts.ts';
import type { AlertEvaluatorDeps } from './http/alerts/evaluate-alerts.ts';
import { deleteOldAlerts } from './jobs/delete-alerts.ts';
import type { Job } from './jobs/job-runner.ts';
import { createObservation } from './jobs/observation.ts';

interface AlertJobDeps extends Omit<AlertEvaluatorDeps, 'observingSinceMs'> {
  /** Whether this node does what one at a time may do. */
  isLeader: () => boolean;
  /** Until when messages of devices could not be stored; 0 when they always could. */
  writesBlockedUntilMs: () => number;
}

/** The jobs that record when devices could be heard, and compare them with the rules for alerts. */
export function createAlertJobs({ writesBlockedUntilMs, ...deps }: AlertJobDeps): Job[] {
  const observation = createObservation(deps);
  const evaluateAlerts = createAlertEvaluator({
    ...deps,
    observingSinceMs() {
      const sinceMs = observation.heardSinceMs();
      return sinceMs === null ? null : Math.max(sinceMs, writesBlockedUntilMs());
    },
  });
  return [
    {
      // A compromise between what a crash loses and the write load.
      name: 'observation',
      intervalMs: 15_000,
      async run() {
        await observation.record();
        await evaluateAlerts();
      },
    },
    { name: 'old-alerts', intervalMs: 60_000, isForLeader: true, run: () => deleteOldAlerts(deps) },
  ];
}
