import { errorMessage } from '../domain/error-details.ts';
import type { Mailer, MailServer } from './mailer.ts';

/** Mails that are sent at the same time, each over a connection of its own. */
const MAX_CONNECTIONS = 5;
const MAILS_PER_CONNECTION = 100;
/** After it, a connection that sends nothing is closed. */
const IDLE_MS = 10_000;
/** Of one step of the conversation with the server. */
const STEP_TIMEOUT_MS = 20_000;
/** Of a mail as a whole: a server that answers byte by byte never exceeds the time of a step. */
const MAIL_TIMEOUT_MS = 60_000;
/**
 * What a server says (RFC 3463) of an address that does not exist or takes no mail. All else that it refuses, also where the
 * recipient is named, may be about the sender, the account or a limit, which somebody can mend.
 */
const DEAD_ADDRESS = /^5\d\d[ -]5\.(?:1\.(?:[1236]|10)|2\.1)\b/;

/** Sends mails over SMTP, several over each connection. */
export async function createSmtpMailer(
  { host, port, isSecure, isTlsRequired, user, password, from }: MailServer,
  mailTimeoutMs = MAIL_TIMEOUT_MS,
): Promise<Mailer> {
  // Most clouds do not need it.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MAILS_PER_CONNECTION,
    idleTimeout: IDLE_MS,
    host,
    port,
    secure: isSecure,
    requireTLS: isTlsRequired,
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    // Neither is used: a text can name no file and no address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    atOnce: MAX_CONNECTIONS,
    async send({ to, subject, text, messageId }, signal) {
      const timeout = AbortSignal.timeout(mailTimeoutMs);
      try {
        await transport.sendMail({
          from: { name: 'Placard', address: from },
          to: { name: '', address: to },
          subject,
          text,
          messageId,
          // No automatic answers to it.
          headers: { 'auto-submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, timeout]),
        });
        return null;
      } catch (error) {
        const message = timeout.aborted
          ? `the mail server has not taken it within ${mailTimeoutMs / 1000} s`
          : errorMessage(error);
        return { message, isFinal: isDeadAddress(error) };
      }
    },
    close: () => transport.close({ force: true }),
  };
}

function isDeadAddress(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const response: unknown = Reflect.get(error, 'response');
  const isOfRecipient = Reflect.get(error, 'command') === 'RCPT TO';
  return isOfRecipient && typeof response === 'string' && DEAD_ADDRESS.test(response);
}
