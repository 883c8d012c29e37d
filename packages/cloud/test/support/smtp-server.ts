import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string;
  /** With headers. */
  text: string;
}

export interface TestMailServer {
  port: number;
  received: ReceivedMail[];
  /** Passwords that were sent to it. */
  passwords: string[];
  /** Answers the next recipients and mails with an error; null: takes them. */
  refuse: { code: number; at: 'recipient' | 'data' } | null;
  close: () => Promise<void>;
}

const refusal = (code: number) => Object.assign(new Error('refused by the test'), { responseCode: code });

/** Starts a real mail server, without TLS. */
export async function startMailServer(): Promise<TestMailServer> {
  const state: TestMailServer = {
    port: 0,
    received: [],
    passwords: [],
    refuse: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      state.passwords.push(password ?? '');
      callback(null, { user: username });
    },
    onRcptTo(_address, _session, callback) {
      callback(state.refuse?.at === 'recipient' ? refusal(state.refuse.code) : null);
    },
    onData(stream, session, callback) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => {
        if (state.refuse?.at === 'data') {
          callback(refusal(state.refuse.code));
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
  state.port = (server.server.address() as AddressInfo).port;
  return state;
}
