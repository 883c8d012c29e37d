/** A mail server, and how this cloud uses it. */
export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  isSecure: boolean;
  /** With STARTTLS: whether to send nothing without it. */
  isTlsRequired: boolean;
  user: string | null;
  password: string | null;
  /** The address that mails come from. */
  from: string;
}

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  /** The same in every attempt, so that whoever gets a mail twice can tell. */
  messageId: string;
}

/** What came of an attempt; null: the server has taken the mail. */
export type MailFailure = {
  message: string;
  /** The address does not exist or takes no mail: another attempt is useless. */
  isFinal: boolean;
} | null;

export interface Mailer {
  /** How many mails it sends at the same time; more wait. */
  readonly atOnce: number;
  /** When the signal aborts, the mail is given up, as a failure. */
  send: (message: MailMessage, signal: AbortSignal) => Promise<MailFailure>;
  /** Closes the connections. */
  close: () => void;
}
