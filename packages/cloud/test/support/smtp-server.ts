import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { MailServer } from '../../src/mail/mailer.ts';

export interface ReceivedMail {
  to: string;
  /** With headers. */
  text: string;
}

export interface TestMailServer {
  /** How a cloud sends through it. */
  settings: MailServer;
  received: ReceivedMail[];
  /** Passwords that were sent to it. */
  passwords: string[];
  /** Answers the next commands of this kind with an error; null: takes them. */
  refuse: { at: 'login' | 'sender' | 'recipient' | 'data'; code: number; text: string } | null;
  close: () => Promise<void>;
}

/** Starts a real mail server, without TLS. */
export async function startMailServer(): Promise<TestMailServer> {
  const state: TestMailServer = {
    settings: {
      host: '127.0.0.1',
      port: 0,
      isSecure: false,
      isTlsRequired: false,
      user: null,
      password: null,
      from: 'placard@example.com',
    },
    received: [],
    passwords: [],
    refuse: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const refusalAt = (at: NonNullable<TestMailServer['refuse']>['at']): Error | null =>
    state.refuse?.at === at
      ? Object.assign(new Error(state.refuse.text), { responseCode: state.refuse.code })
      : null;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      state.passwords.push(password ?? '');
      callback(refusalAt('login'), { user: username });
    },
    onMailFrom(_address, _session, callback) {
      callback(refusalAt('sender'));
    },
    onRcptTo(_address, _session, callback) {
      callback(refusalAt('recipient'));
    },
    onData(stream, session, callback) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => {
        const refusal = refusalAt('data');
        if (refusal) {
          callback(refusal);
          return;
        }
        state.received.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text });
        callback();
      });
    },
  });
  // Of connections: a cloud that is killed resets its own.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  state.settings.port = (server.server.address() as AddressInfo).port;
  return state;
}
