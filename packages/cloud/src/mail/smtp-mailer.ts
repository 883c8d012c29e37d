import { errorMessage } from '../domain/error-details.ts';
import type { Mailer, MailServer } from './mailer.ts';

/** Of one step of the conversation with the server. */
const TIMEOUT_MS = 20_000;
/**
 * What a server says (RFC 3463) of an address that does not exist or takes no mail. All else that it refuses, also where the
 * recipient is named, may be about the sender, the account or a limit, which somebody can mend.
 */
const DEAD_ADDRESS = /^5\d\d[ -]5\.(?:1\.(?:[1236]|10)|2\.1)\b/;

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
        return { message: errorMessage(error), isFinal: isDeadAddress(error) };
      }
    },
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
