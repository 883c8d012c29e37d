import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import { retryDelayMs } from '../../domain/retry-delay.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { composeAlertMail } from './alert-mail.ts';

/** How long a mail that is on its way may take when the cloud stops; then it is given up, and sent again later. */
const CLOSING_MS = 3_000;
/** Kept of what the server has said. */
const MAX_ERROR = 500;

export interface AlertMailSenderDeps {
  database: CloudDatabase;
  clock: Clock;
  log: Logger;
  mailer: Mailer;
  publicUrl: () => string;
  isLeader: () => boolean;
}

/**
 * Sends the mails that are due, one after the other, on the leader. That a mail was taken is stored right after
 * the server has said so: only a process that ends between the two sends it again, with the same `Message-ID`.
 */
export function createAlertMailSender({
  database,
  clock,
  log,
  mailer,
  publicUrl,
  isLeader,
}: AlertMailSenderDeps) {
  const closing = new AbortController();
  let running: Promise<void> | null = null;

  const attempt = async (mail: Row<'alert_mails'>): Promise<void> => {
    const alert = await database.alerts.find(mail.alert_id);
    const organization = await database.organization.find();
    if (!alert || !organization) {
      await database.alertMails.deleteOf(mail.alert_id);
      return;
    }
    const { timezone } = organization;
    const failure = await mailer.send(composeAlertMail(alert, mail, { timezone, publicUrl: publicUrl() }));
    const nowMs = clock.nowMs();
    const waitMs = failure === null || failure.isFinal ? null : retryDelayMs(mail.attempts + 1);
    await database.alertMails.recordAttempt(mail, {
      status: failure === null ? 'sent' : waitMs === null ? 'failed' : 'pending',
      next_attempt_at: waitMs === null ? null : nowMs + waitMs,
      error: failure?.message.slice(0, MAX_ERROR) ?? null,
      finished_at: waitMs === null ? nowMs : null,
    });
    if (failure !== null) {
      log.warn({ alert_id: alert.id, step: mail.step, reason: failure.message }, 'alerts.mail_failed');
    }
  };

  const sendDue = async (): Promise<void> => {
    while (!closing.signal.aborted && isLeader()) {
      const mail = await database.alertMails.nextDue(clock.nowMs());
      if (!mail) {
        return;
      }
      await attempt(mail);
    }
  };

  return {
    /** Sends what is due, in the background; called at intervals. */
    wake(this: void): void {
      if (closing.signal.aborted || running || !isLeader()) {
        return;
      }
      running = sendDue()
        .catch((error: unknown) => {
          // What is due is found again at the next interval.
          if (storageFailureOf(error) === null && !closing.signal.aborted) {
            log.error({ err: error }, 'alerts.mails_failed');
          }
        })
        .finally(() => (running = null));
    },
    /** Waits a moment for the answer to the mail that is on its way, so that it is not sent twice. */
    async close(this: void): Promise<void> {
      closing.abort();
      const givingUp = new AbortController();
      await Promise.race([
        running,
        setTimeout(CLOSING_MS, null, { signal: givingUp.signal }).catch(() => {}),
      ]);
      givingUp.abort();
    },
  };
}
