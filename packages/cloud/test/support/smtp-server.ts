import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
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
  /** Answers for a recipient only when the promise resolves; null: at once. */
  hold: ((address: string) => Promise<void>) | null;
  /** Recipients for whom a client waits now. */
  held: string[];
  /** Connections that were opened. */
  connections: number;
  /** Closes the connections that are open. */
  dropConnections: () => void;
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
    hold: null,
    held: [],
    connections: 0,
    dropConnections() {
      for (const socket of sockets) {
        socket.destroy();
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const sockets = new Set<Socket>();
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
    onRcptTo({ address }, _session, callback) {
      state.held.push(address);
      void (async () => {
        await state.hold?.(address);
        state.held.splice(state.held.indexOf(address), 1);
        callback(refusalAt('recipient'));
      })();
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
  server.server.on('connection', (socket: Socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  state.settings.port = (server.server.address() as AddressInfo).port;
  return state;
}
