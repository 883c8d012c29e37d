import type { Logger } from 'pino';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Row, RowChange } from '../database/schema.ts';
import type { Clock } from '../domain/clock.ts';
import { retryDelayMs } from '../domain/retry-delay.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import type { Mailer } from '../mail/mailer.ts';
import { composeAlertMail } from './alert-mail.ts';

/** How long mails that are on their way may take when the cloud stops; then they are given up, and sent again later. */
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

const keyOf = ({ alert_id, step, recipient }: Row<'alert_mails'>): string =>
  `${alert_id} ${step} ${recipient}`;

/**
 * Sends the mails that are due, several at once, on the leader. That a mail was taken is stored right after the
 * server has said so: only a process that ends between the two sends it again, with the same `Message-ID`.
 */
export function createAlertMailSender({
  database,
  clock,
  log,
  mailer,
  publicUrl,
  isLeader,
}: AlertMailSenderDeps) {
  /** Nothing more is sent. */
  const closing = new AbortController();
  /** What is on its way is given up. */
  const givingUp = new AbortController();
  const underway = new Map<string, Promise<void>>();
  const unstored = new Map<string, RowChange<'alert_mails'>>();
  let scanning: Promise<void> | null = null;
  let isRescanNeeded = false;

  /** Sends a mail; returns what came of it, or null when it was given up or its alert is gone. */
  const attempt = async (mail: Row<'alert_mails'>): Promise<RowChange<'alert_mails'> | null> => {
    const alert = await database.alerts.find(mail.alert_id);
    const organization = await database.organization.find();
    if (!alert || !organization) {
      await database.alertMails.deleteOf(mail.alert_id);
      return null;
    }
    const message = composeAlertMail(alert, mail, {
      timezone: organization.timezone,
      publicUrl: publicUrl(),
    });
    const failure = await mailer.send(message, givingUp.signal);
    if (failure !== null && givingUp.signal.aborted) {
      return null;
    }
    if (failure !== null) {
      log.warn({ alert_id: alert.id, step: mail.step, reason: failure.message }, 'alerts.mail_failed');
    }
    const nowMs = clock.nowMs();
    const waitMs = failure === null || failure.isFinal ? null : retryDelayMs(mail.attempts + 1);
    return {
      status: failure === null ? 'sent' : waitMs === null ? 'failed' : 'pending',
      next_attempt_at: waitMs === null ? null : nowMs + waitMs,
      error: failure?.message.slice(0, MAX_ERROR) ?? null,
      finished_at: waitMs === null ? nowMs : null,
    };
  };

  /** Stores what came of a mail. What cannot be stored is kept, so that the mail is not sent again. */
  const attemptAndStore = async (mail: Row<'alert_mails'>): Promise<void> => {
    const key = `${keyOf(mail)} ${mail.attempts}`;
    const outcome = unstored.get(key) ?? (await attempt(mail));
    if (outcome) {
      unstored.set(key, outcome);
      await database.alertMails.recordAttempt(mail, outcome);
      unstored.delete(key);
    }
  };

  /** What is due is found again at the next interval. */
  const onFailure = (error: unknown): void => {
    // A failure of the storage is logged once, where it begins.
    if (storageFailureOf(error) === null) {
      log.error({ err: error }, 'alerts.mails_failed');
    }
  };

  const send = async (mail: Row<'alert_mails'>): Promise<void> => {
    try {
      await attemptAndStore(mail);
    } catch (error) {
      onFailure(error);
      return;
    } finally {
      underway.delete(keyOf(mail));
    }
    wake();
  };

  const startDue = async (): Promise<void> => {
    do {
      isRescanNeeded = false;
      // Taken before the query, whose answer may still have a mail that was sent meanwhile.
      const begun = new Set(underway.keys());
      const due = await database.alertMails.listDue(clock.nowMs(), mailer.atOnce);
      const next = due.filter((mail) => !begun.has(keyOf(mail))).slice(0, mailer.atOnce - begun.size);
      for (const mail of closing.signal.aborted ? [] : next) {
        underway.set(keyOf(mail), send(mail));
      }
    } while (isRescanNeeded && !closing.signal.aborted && isLeader());
  };

  /** Sends what is due, in the background; called at intervals, and when a mail has ended. */
  function wake(): void {
    if (closing.signal.aborted || !isLeader()) {
      return;
    }
    if (scanning) {
      isRescanNeeded = true;
      return;
    }
    scanning = startDue()
      .catch(onFailure)
      .finally(() => (scanning = null));
  }

  return {
    wake,
    /** Waits a moment for the answers to the mails that are on their way, so that they are not sent twice. */
    close: async (): Promise<void> => {
      closing.abort();
      const giveUp = setTimeout(() => givingUp.abort(), CLOSING_MS);
      await scanning;
      await Promise.all(underway.values());
      clearTimeout(giveUp);
    },
  };
}
