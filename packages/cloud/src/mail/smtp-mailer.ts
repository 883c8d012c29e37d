import { errorMessage } from '../domain/error-details.ts';
import type { Mailer, MailServer } from './mailer.ts';

/** Of one step of the conversation with the server. */
const TIMEOUT_MS = 20_000;
/** What the server says of the recipient or the mail itself, not of the connection or the account. */
const ABOUT_THE_MAIL: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);
const PERMANENT = 500;

/** Sends mails over SMTP, one connection each. */
export async function createSmtpMailer({
  host,
  port,
  isSecure,
  isTlsRequired,
  user,
  password,
  from,
}: MailServer): Promise<Mailer> {
  // Most clouds do not need it.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: isTlsRequired,
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Neither is used: a text can name no file and no address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text, messageId }) {
      try {
        await transport.sendMail({
          from: { name: 'Placard', address: from },
          to: { name: '', address: to },
          subject,
          text,
          messageId,
          // No automatic answers to it.
          headers: { 'auto-submitted': 'auto-generated' },
        });
        return null;
      } catch (error) {
        return { message: errorMessage(error), isFinal: isRefusal(error) };
      }
    },
  };
}

function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const status: unknown = Reflect.get(error, 'responseCode');
  return ABOUT_THE_MAIL.has(Reflect.get(error, 'code')) && typeof status === 'number' && status >= PERMANENT;
}
