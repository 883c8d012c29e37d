import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
  server.received.length = 0;
  server.passwords.length = 0;
});

const ACCOUNT = { user: 'placard', password: 'secret' };
const MESSAGE = { to: 'a@example.com', subject: 'S', text: 'T', messageId: '<1@example.com>' };

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
  const mailer = await createSmtpMailer({ ...server.settings, ...ACCOUNT });
  const failure = await mailer.send(MESSAGE);
  expect(failure).toEqual({ isFinal: false, message: expect.stringContaining(`${code} ${text}`) });
  server.refuse = null;
  expect(await mailer.send(MESSAGE)).toBeNull();
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
  const mailer = await createSmtpMailer(server.settings);
  expect(await mailer.send(MESSAGE)).toMatchObject({ isFinal: true });
});

test('a password is not sent without TLS', async () => {
  const mailer = await createSmtpMailer({ ...server.settings, ...ACCOUNT, isTlsRequired: true });
  const failure = await mailer.send(MESSAGE);
  expect(failure).toMatchObject({ isFinal: false, message: expect.stringMatching(/STARTTLS|TLS/) });
  expect([server.passwords, server.received]).toEqual([[], []]);
});

test('a server that does not answer is a failure that may pass', async () => {
  const closed = await startMailServer();
  await closed.close();
  const mailer = await createSmtpMailer(closed.settings);
  expect(await mailer.send(MESSAGE)).toMatchObject({
    isFinal: false,
    message: expect.stringMatching(/ECONNREFUSED/),
  });
});
