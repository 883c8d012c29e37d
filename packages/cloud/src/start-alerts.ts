import type { CloudOptions } from './config/cloud-options.ts';
import { createAlertEvaluator } from './alerts/evaluate-alerts.ts';
import type { AlertEvaluatorDeps } from './alerts/evaluate-alerts.ts';
import { createAlertMailSender } from './alerts/send-alert-mails.ts';
import type { AlertMailSenderDeps } from './alerts/send-alert-mails.ts';
import { deleteOldAlerts } from './jobs/delete-old-rows.ts';
import type { Job } from './jobs/job-runner.ts';
import { createObservation } from './jobs/observation.ts';
import { createSmtpMailer } from './mail/smtp-mailer.ts';

interface AlertJobDeps extends Omit<AlertEvaluatorDeps, 'observingSinceMs'> {
  /** Whether this node does what one at a time may do. */
  isLeader: () => boolean;
  /** Until when messages of devices could not be stored; 0 when they always could. */
  writesBlockedUntilMs: () => number;
  options: Pick<CloudOptions, 'mailServer'>;
  publicUrl: () => string;
  shutdownSteps: (() => Promise<void>)[];
}

/** The jobs that record when devices could be heard, compare them with the rules for alerts, and mail what came of it. */
export async function createAlertJobs({
  writesBlockedUntilMs,
  options,
  shutdownSteps,
  ...deps
}: AlertJobDeps): Promise<Job[]> {
  const observation = createObservation(deps);
  const evaluateAlerts = createAlertEvaluator({
    ...deps,
    observingSinceMs() {
      const sinceMs = observation.heardSinceMs();
      return sinceMs === null ? null : Math.max(sinceMs, writesBlockedUntilMs());
    },
  });
  const mails = await createMailJobs(options.mailServer, deps, shutdownSteps);
  return [
    // A compromise between what a crash loses and the write load. Not behind a look at all rules, which may take long.
    { name: 'observation', intervalMs: 15_000, run: observation.record },
    { name: 'alerts', intervalMs: 15_000, run: evaluateAlerts },
    { name: 'old-alerts', intervalMs: 60_000, isForLeader: true, run: () => deleteOldAlerts(deps) },
    ...mails,
  ];
}

async function createMailJobs(
  server: CloudOptions['mailServer'],
  deps: Omit<AlertMailSenderDeps, 'mailer'>,
  shutdownSteps: AlertJobDeps['shutdownSteps'],
): Promise<Job[]> {
  if (!server) {
    return [];
  }
  const mailer = await createSmtpMailer(server);
  const sender = createAlertMailSender({ ...deps, mailer });
  shutdownSteps.push(async () => mailer.close(), sender.close);
  return [{ name: 'alert-mails', intervalMs: 5000, isForLeader: true, run: async () => sender.wake() }];
}
