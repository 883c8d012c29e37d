import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { MailServer } from '../src/mail/mailer.ts';
import { createSmtpMailer } from '../src/mail/smtp-mailer.ts';
import { startMailServer } from './support/smtp-server.ts';
import type { TestMailServer } from './support/smtp-server.ts';

let server: TestMailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.refuse = null;
  server.hold = null;
  server.held.length = 0;
  server.received.length = 0;
  server.passwords.length = 0;
  server.connections = 0;
});

const ACCOUNT = { user: 'placard', password: 'secret' };
const MESSAGE = { to: 'a@example.com', subject: 'S', text: 'T', messageId: '<1@example.com>' };

/** Sends the message over a mailer that is closed after the test. */
async function openMailer(changed: Partial<MailServer> = {}, mailTimeoutMs?: number) {
  const mailer = await createSmtpMailer({ ...server.settings, ...changed }, mailTimeoutMs);
  onTestFinished(mailer.close);
  return (to = MESSAGE.to, { signal } = new AbortController()) => mailer.send({ ...MESSAGE, to }, signal);
}

test.each([
  ['login', 535, '5.7.8 Authentication failed'],
  ['login', 454, '4.7.0 Temporary authentication failure'],
  ['sender', 530, '5.7.0 Authentication required'],
  ['sender', 553, '5.7.1 Sender not owned by user'],
  ['sender', 550, '5.1.1 No such sender'],
  ['sender', 451, '4.3.0 Try later'],
  ['recipient', 450, '4.2.0 Greylisted'],
  ['recipient', 530, '5.7.0 Authentication required'],
  ['recipient', 550, 'relay not permitted'],
  ['recipient', 550, '5.1.8 Sender address rejected: domain not found'],
  ['recipient', 553, '5.7.1 Sender address rejected: not owned by user'],
  ['recipient', 554, '5.7.1 Relay access denied'],
  ['recipient', 552, '5.2.2 Mailbox full'],
  ['data', 451, '4.3.0 Try later'],
  ['data', 550, '5.4.5 Daily limit exceeded'],
  ['data', 554, '5.7.1 Message refused'],
] as const)('a refusal that can be mended is not final: %s %i %s', async (at, code, text) => {
  server.refuse = { at, code, text };
  const send = await openMailer(ACCOUNT);
  const failure = await send();
  expect(failure).toEqual({ isFinal: false, message: expect.stringContaining(`${code} ${text}`) });
  server.refuse = null;
  expect(await send()).toBeNull();
});

test.each([
  [550, '5.1.1 No such user'],
  [550, '5.1.2 No such domain'],
  [553, '5.1.3 Bad address'],
  [551, '5.1.6 Has moved'],
  [556, '5.1.10 The domain takes no mail'],
  [550, '5.2.1 Mailbox disabled'],
])('the refusal of an address that does not exist is final: %i %s', async (code, text) => {
  server.refuse = { at: 'recipient', code, text };
  const send = await openMailer();
  expect(await send()).toMatchObject({ isFinal: true });
});

test('a password is not sent without TLS', async () => {
  const send = await openMailer({ ...ACCOUNT, isTlsRequired: true });
  const failure = await send();
  expect(failure).toMatchObject({ isFinal: false, message: expect.stringMatching(/STARTTLS|TLS/) });
  expect([server.passwords, server.received]).toEqual([[], []]);
});

test('a server that does not answer is a failure that may pass', async () => {
  const closed = await startMailServer();
  await closed.close();
  const send = await openMailer(closed.settings);
  expect(await send()).toMatchObject({
    isFinal: false,
    message: expect.stringMatching(/ECONNREFUSED/),
  });
});

test('mails go over the connection that is there', async () => {
  const send = await openMailer();
  expect([await send(), await send(), await send()]).toEqual([null, null, null]);
  expect([server.received.length, server.connections]).toEqual([3, 1]);
});

test('a mail goes over a new connection when the server has closed the one that is there', async () => {
  const send = await openMailer();
  await send();
  server.dropConnections();
  expect(await send('b@example.com')).toBeNull();
  expect(server.received.map(({ to }) => to)).toEqual([MESSAGE.to, 'b@example.com']);
});

test('at most five mails are on their way, and no more connections are open', async () => {
  const send = await openMailer();
  const opened = Promise.withResolvers<void>();
  const most: number[] = [];
  server.hold = async () => {
    most.push(server.held.length);
    if (server.held.length === 5) {
      opened.resolve();
    }
    await opened.promise;
  };
  const addresses = Array.from({ length: 12 }, (_, index) => `${index}@example.com`);
  expect(await Promise.all(addresses.map((each) => send(each)))).toEqual(addresses.map(() => null));
  expect(new Set(server.received.map(({ to }) => to))).toEqual(new Set(addresses));
  expect([server.received.length, server.connections, Math.max(...most)]).toEqual([12, 5, 5]);
});

test('a mail that is given up is not sent, and the next one is', async () => {
  const send = await openMailer();
  const givingUp = new AbortController();
  server.hold = () => {
    givingUp.abort();
    return new Promise(() => {});
  };
  expect(await send('a@example.com', givingUp)).toMatchObject({ isFinal: false });
  server.hold = null;
  expect(await send('b@example.com')).toBeNull();
  expect(server.received.map(({ to }) => to)).toEqual(['b@example.com']);
});

test('a server that answers byte by byte cannot hold a mail for ever', async () => {
  const sockets: Socket[] = [];
  const slow = createServer((socket) => {
    sockets.push(socket);
    socket.write('220 slow\r\n');
    socket.on('error', () => {});
    socket.once('data', () => {
      // One answer without an end.
      const drip = setInterval(() => socket.write('250-slow\r\n'), 20);
      socket.once('close', () => clearInterval(drip));
    });
  });
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  onTestFinished(() => void slow.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = slow.address() as AddressInfo;
  const send = await openMailer({ port }, 500);
  expect(await send()).toEqual({ isFinal: false, message: expect.stringContaining('within 0.5 s') });
  const [socket] = sockets;
  if (!socket?.destroyed) {
    await once(socket!, 'close');
  }
});
