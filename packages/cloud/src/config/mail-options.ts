import { readFileSync } from 'node:fs';
import { email } from '@placard/protocol/api';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { errorCode } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { MailServer } from '../mail/mailer.ts';

export interface MailStartOptions {
  mailServer?: string;
  mailFrom?: string;
  mailUser?: string;
  mailPasswordFile?: string;
  mailPassword?: string;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };

function parseServer(text: string): string {
  const url = URL.parse(text);
  if (!url || !(url.protocol in DEFAULT_PORTS) || url.hostname === '' || url.username || url.password) {
    throw new InvalidArgumentError(
      'Give smtps://host:465 (TLS) or smtp://host:587 (STARTTLS), without a name or password.',
    );
  }
  return text;
}

function parseFrom(text: string): string {
  const { success, data } = email.safeParse(text);
  if (!success) {
    throw new InvalidArgumentError('Give an address such as signage@example.com.');
  }
  return data;
}

/** The mail server by which alerts are sent, with flags, environment variables and help texts in one place. */
export const addMailOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--mail-server <url>',
        'smtps://host:465 or smtp://host:587, by which alerts are mailed; STARTTLS is required with a user',
      )
        .env('PLACARD_MAIL_SERVER')
        .argParser(parseServer),
    )
    .addOption(
      new Option('--mail-from <address>', 'address that mails come from')
        .env('PLACARD_MAIL_FROM')
        .argParser(parseFrom),
    )
    .addOption(new Option('--mail-user <name>', 'of this cloud at the mail server').env('PLACARD_MAIL_USER'))
    .addOption(
      new Option('--mail-password-file <file>', 'file with the password of this cloud at the mail server')
        .env('PLACARD_MAIL_PASSWORD_FILE')
        .conflicts('mailPassword'),
    )
    .addOption(
      new Option(
        '--mail-password <password>',
        'the password itself; as a flag it is visible to all users of this machine in the process list, as an ' +
          'environment variable it is not',
      ).env('PLACARD_MAIL_PASSWORD'),
    );

/** Undefined without a server. Throws a `StartupError` if something is missing. */
export function toMailServer({
  mailServer,
  mailFrom: from,
  mailUser: user,
  mailPasswordFile: file,
  mailPassword,
}: MailStartOptions): MailServer | undefined {
  if (mailServer === undefined) {
    return undefined;
  }
  const password = file === undefined ? mailPassword : readPassword(file);
  if (from === undefined) {
    throw new StartupError('--mail-server also needs --mail-from.');
  }
  if ((user === undefined) !== (password === undefined)) {
    throw new StartupError('--mail-user and --mail-password-file belong together: give both or neither.');
  }
  const { protocol, hostname, port } = new URL(mailServer);
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port),
    isSecure: protocol === 'smtps:',
    isTlsRequired: user !== undefined,
    user: user ?? null,
    password: password ?? null,
    from,
  };
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new StartupError(
      `The file ${file} of --mail-password-file cannot be read (${errorCode(cause)}).`,
      cause,
    );
  }
}
