import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { startMailServer } from './support/smtp-server.ts';
import type { ReceivedMail, TestMailServer } from './support/smtp-server.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

vi.setConfig({ testTimeout: 180_000 });

let server: TestMailServer;
let cloud: TestCloud;
beforeAll(async () => {
  server = await startMailServer();
  cloud = await startTestCloud({ mailServer: server.settings, publicUrl: 'https://signage.example.com' });
});
afterAll(async () => {
  await cloud.close();
  await server.close();
});
beforeEach(() => {
  server.refuse = null;
  server.hold = null;
  server.held.length = 0;
  server.received.length = 0;
});

const alive = new Map<PairedDevice, readonly string[]>();
/** Lets time pass, during which the devices report their faults, until the condition holds. */
const passUntil = <T>(condition: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    cloud.clock.advance(15_000);
    const since = new Date(cloud.clock.nowMs()).toISOString();
    for (const [screen, codes] of alive) {
      const faults = codes.map((code) => ({ code, since, facts: {} }));
      await screen.client.post('/v1/player/heartbeats', {
        samples: [],
        state: buildReportedState({ faults }),
      });
    }
    return condition();
  }, 120_000);

/** A rule for a fault that a new device reports, until it is told otherwise. */
async function openAlert(code: string, fields: object) {
  const screen = await pairDevice(cloud, { name: 'Theke "links"' });
  alive.set(screen, [code]);
  const rule = await cloud.admin.post('/v1/alert-rules', {
    name: 'Störungen',
    condition: { type: 'fault', code, minutes: 0 },
    ...fields,
  });
  const alert = await passUntil(async () => {
    const { data } = await cloud.admin.get(`/v1/alerts?rule_id=${rule.data.id}`);
    expect(data).toHaveLength(1);
    return data[0];
  });
  return { screen, rule: rule.data, alert };
}
const mailsOf = async (alert: { id: string }) => (await cloud.admin.get(`/v1/alerts/${alert.id}/mails`)).data;
const get = async (alert: { id: string }) => (await cloud.admin.get(`/v1/alerts/${alert.id}`)).data;
const isSentOnce = ({ status, attempts }: Record<string, unknown>) => status === 'sent' && attempts === 1;
const statesOf = async (alert: { id: string }) =>
  (await mailsOf(alert)).map(({ step, recipient, status }: Record<string, string>) => [
    step,
    recipient,
    status,
  ]);

/** The value of a header, decoded. */
function header({ text }: ReceivedMail, name: string): string {
  const value = new RegExp(`^${name}:\\s*(.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(text)?.[1] ?? '';
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_all, kind: string, encoded: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(encoded, 'base64').toString()
        : decodeURIComponent(encoded.replaceAll('_', ' ').replaceAll('%', '%25').replaceAll('=', '%')),
    );
}
/** The text of a mail, decoded. */
function body({ text }: ReceivedMail): string {
  const encoded = text.slice(text.indexOf('\r\n\r\n') + 4);
  return /content-transfer-encoding: base64/i.test(text)
    ? Buffer.from(encoded, 'base64').toString()
    : Buffer.from(
        encoded
          .replaceAll(/=\r\n/g, '')
          .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) =>
            String.fromCodePoint(Number.parseInt(hex, 16)),
          ),
        'latin1',
      ).toString();
}

test('each recipient gets one mail when an alert is opened, and one when it is resolved, in the language of the rule', async () => {
  const { screen, alert } = await openAlert('mail.one', {
    recipients: ['a@example.com', 'b@example.com', 'a@example.com'],
    language: 'de',
  });
  await passUntil(async () => expect(server.received).toHaveLength(2));
  expect(new Set(server.received.map(({ to }) => to))).toEqual(new Set(['a@example.com', 'b@example.com']));
  const [mail] = server.received;
  expect(mail && [header(mail, 'subject'), header(mail, 'from'), header(mail, 'auto-submitted')]).toEqual([
    'Alarm: Theke "links": Störung mail.one',
    'Placard <placard@example.com>',
    'auto-generated',
  ]);
  expect(mail && body(mail)).toMatch(/Betroffene Bildschirme: 1\r?\n/);
  expect(mail && body(mail)).toContain(`https://signage.example.com/alerts/${alert.id}\r\n`);
  alive.set(screen, []);
  await passUntil(async () => expect(server.received).toHaveLength(4));
  expect(server.received.slice(2).map((each) => header(each, 'subject'))).toEqual(
    Array.from({ length: 2 }, () => 'Behoben: Theke "links": Störung mail.one'),
  );
  expect(new Set(server.received.map((each) => header(each, 'message-id'))).size).toBe(4);
  // It is stored that a mail was sent after the server has it.
  await eventually(async () =>
    expect(await mailsOf(alert)).toMatchObject([
      { step: 'opened', recipient: 'a@example.com', status: 'sent', attempts: 1, error: null },
      { step: 'opened', recipient: 'b@example.com', status: 'sent' },
      { step: 'resolved', recipient: 'a@example.com', status: 'sent' },
      { step: 'resolved', recipient: 'b@example.com', status: 'sent', next_attempt_at: null },
    ]),
  );
});

test('an alert that ends for another reason than that it is over is not mailed as resolved', async () => {
  const { screen, alert } = await openAlert('mail.left', {
    recipients: ['a@example.com'],
    filter: { search: 'Theke' },
  });
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Eingang' });
  await passUntil(async () => expect(server.received).toHaveLength(2));
  const left = server.received[1]!;
  expect(header(left, 'subject')).toBe('Ended: Theke "links": fault mail.left');
  expect(body(left).replaceAll(/\s+/g, ' ')).toContain('or the rule no longer watches them.');
  expect(await get(alert)).toMatchObject({ resolved_because: 'not_watched' });

  const { rule } = await openAlert('mail.ended', { recipients: ['a@example.com'] });
  await cloud.admin.delete(`/v1/alert-rules/${rule.id}`);
  await passUntil(async () => expect(server.received).toHaveLength(4));
  const changed = server.received[3]!;
  expect(header(changed, 'subject')).toBe('Ended: Theke "links": fault mail.ended');
  expect(body(changed)).toContain('switched off or deleted.');
});

test('a mail that the server does not take now is tried again, also after a restart; the end of the alert waits for it', async () => {
  server.refuse = { at: 'sender', code: 553, text: '5.7.1 Sender not owned by user' };
  const { screen, alert } = await openAlert('mail.two', { recipients: ['later@example.com'] });
  await passUntil(async () => {
    expect(await mailsOf(alert)).toMatchObject([
      { status: 'pending', error: expect.stringContaining('not owned') },
    ]);
  });
  alive.set(screen, []);
  await passUntil(async () => expect((await statesOf(alert)).length).toBe(2));
  await cloud.restart(1000);
  expect(await statesOf(alert)).toEqual([
    ['opened', 'later@example.com', 'pending'],
    ['resolved', 'later@example.com', 'pending'],
  ]);
  expect(server.received).toEqual([]);
  server.refuse = null;
  await passUntil(async () => expect(server.received).toHaveLength(2));
  expect(server.received.map((each) => header(each, 'subject').split(':')[0])).toEqual(['Alert', 'Resolved']);
  const [opened] = await mailsOf(alert);
  expect(opened.attempts).toBeGreaterThan(1);
});

test('a recipient that the server refuses for good is not tried again, and the others get their mail', async () => {
  server.refuse = { at: 'recipient', code: 550, text: '5.1.1 No such user' };
  const { alert } = await openAlert('mail.three', { recipients: ['gone@example.com'] });
  await passUntil(async () =>
    expect(await statesOf(alert)).toEqual([['opened', 'gone@example.com', 'failed']]),
  );
  expect(await mailsOf(alert)).toMatchObject([
    { attempts: 1, next_attempt_at: null, error: expect.stringMatching(/550/) },
  ]);
});

test('an alert that stays open is mailed to others too, each step once; a muted one waits', async () => {
  const escalations = [
    { after_minutes: 20, recipients: ['boss@example.com', 'desk@example.com'] },
    { after_minutes: 5, recipients: ['desk@example.com'] },
  ];
  const { screen, rule, alert } = await openAlert('mail.late', {
    recipients: ['a@example.com'],
    escalations,
  });
  expect(rule.escalations).toEqual(escalations.toReversed());
  const openedMs = Date.parse(alert.opened_at);
  const target = { type: 'device', id: screen.deviceId };
  const until = new Date(openedMs + 10 * 60_000).toISOString();
  const mute = await cloud.admin.post('/v1/alert-mutes', { target, until });
  expect(mute.status).toBe(201);
  await passUntil(async () =>
    expect(await statesOf(alert)).toContainEqual(['escalated', 'desk@example.com', 'sent']),
  );
  expect(cloud.clock.nowMs() - openedMs, 'not before the mute is over').toBeGreaterThan(10 * 60_000);
  expect(cloud.clock.nowMs() - openedMs).toBeLessThan(12 * 60_000);
  expect(await statesOf(alert)).toHaveLength(2);
  await cloud.restart(1000);
  await passUntil(async () => expect(server.received).toHaveLength(3));
  expect(cloud.clock.nowMs() - openedMs).toBeGreaterThan(20 * 60_000);
  alive.set(screen, []);
  await passUntil(async () => expect(server.received).toHaveLength(6));
  const mails = server.received.map((each) => [each.to, header(each, 'subject').split(':')[0]]);
  expect(mails.slice(0, 3)).toEqual([
    ['a@example.com', 'Alert'],
    ['desk@example.com', 'Still open'],
    ['boss@example.com', 'Still open'],
  ]);
  expect(new Set(mails.slice(3))).toEqual(
    new Set(['a', 'boss', 'desk'].map((name) => [`${name}@example.com`, 'Resolved'])),
  );
});

const step = (after_minutes: number, name: string) => ({
  after_minutes,
  recipients: [`${name}@example.com`],
});

test('steps that change while an alert is open are mailed as they are then, and nobody twice', async () => {
  const { screen, rule, alert } = await openAlert('mail.changed', { escalations: [step(3, 'first')] });
  const change = (escalations: object[]) => cloud.admin.patch(`/v1/alert-rules/${rule.id}`, { escalations });
  const escalatedTo = async () =>
    (await mailsOf(alert)).map(({ recipient }: { recipient: string }) => recipient.split('@')[0]);
  await passUntil(async () => expect(await escalatedTo()).toEqual(['first']));
  await change([step(12, 'late')]);
  await passUntil(async () => expect(await escalatedTo()).toEqual(['first', 'late']));
  expect(cloud.clock.nowMs() - Date.parse(alert.opened_at)).toBeGreaterThan(12 * 60_000);
  await change([step(1, 'added'), step(3, 'first'), step(12, 'late')]);
  await passUntil(async () => expect(await escalatedTo()).toEqual(['added', 'first', 'late']));
  await passUntil(async () => expect(server.received).toHaveLength(3));
  alive.set(screen, []);
  await passUntil(async () => expect(server.received).toHaveLength(6));
  expect(new Set(server.received.map(({ to }) => to)).size).toBe(3);
});

const named = (count: number) => Array.from({ length: count }, (_, index) => `${index}@example.com`);
/** Long enough for mails that are due to be sent. */
async function passALittle(): Promise<void> {
  let looks = 0;
  await passUntil(async () => expect((looks += 1)).toBeGreaterThan(4));
}
const receivedBy = () => server.received.map(({ to }) => to).toSorted();

test('five mails are sent at once, each once, while time passes', async () => {
  const opened = Promise.withResolvers<void>();
  server.hold = () => opened.promise;
  const { alert } = await openAlert('mail.many', { recipients: named(12) });
  await passUntil(async () => expect(server.held).toHaveLength(5));
  await passALittle();
  expect([server.held.length, server.received.length]).toEqual([5, 0]);
  opened.resolve();
  await passUntil(async () => expect(server.received.length).toBeGreaterThanOrEqual(12));
  await passUntil(async () => expect((await mailsOf(alert)).every(isSentOnce)).toBe(true));
  expect(receivedBy()).toEqual(named(12).toSorted());
});

test('a recipient whose server is slow does not hold up the others', async () => {
  const opened = Promise.withResolvers<void>();
  server.hold = async (address) => (address === '0@example.com' ? opened.promise : undefined);
  const { alert } = await openAlert('mail.slow', { recipients: named(9) });
  await passUntil(async () => expect(server.received.length).toBeGreaterThanOrEqual(8));
  expect([receivedBy(), server.held]).toEqual([named(9).slice(1), ['0@example.com']]);
  // What comes later does not wait either.
  await openAlert('mail.later', { recipients: ['later@example.com'] });
  await passUntil(async () => expect(receivedBy()).toContain('later@example.com'));
  opened.resolve();
  await passUntil(async () => expect((await mailsOf(alert)).every(isSentOnce)).toBe(true));
  expect(server.received).toHaveLength(10);
});

test('a mail that is on its way when the cloud stops is given up, and sent after the next start', async () => {
  server.hold = () => new Promise(() => {});
  const { alert } = await openAlert('mail.stopped', { recipients: ['a@example.com'] });
  await passUntil(async () => expect(server.held).toHaveLength(1));
  server.hold = null;
  await cloud.restart(0);
  await passUntil(async () => expect((await mailsOf(alert)).every(isSentOnce)).toBe(true));
  expect(server.received).toHaveLength(1);
});

test('a mail that was taken is not sent again while that cannot be stored', async () => {
  // Each attempt to store it is logged.
  await cloud.restart(0, { logLevel: 'fatal' });
  const opened = Promise.withResolvers<void>();
  server.hold = () => opened.promise;
  const { alert } = await openAlert('mail.unstored', { recipients: ['a@example.com'] });
  await passUntil(async () => expect(server.held).toHaveLength(1));
  await cloud.inDatabase((db) =>
    sql`alter table alert_mails rename column finished_at to finished_later`.execute(db),
  );
  opened.resolve();
  await passUntil(async () => expect(server.received).toHaveLength(1));
  await passALittle();
  await cloud.inDatabase((db) =>
    sql`alter table alert_mails rename column finished_later to finished_at`.execute(db),
  );
  await passUntil(async () => expect((await mailsOf(alert)).every(isSentOnce)).toBe(true));
  expect(server.received).toHaveLength(1);
});

test('without a mail server a rule has no recipients', async () => {
  await cloud.restart(0, { mailServer: undefined });
  const { status, error } = await cloud.admin.post('/v1/alert-rules', {
    name: 'R',
    condition: { type: 'offline', minutes: 5 },
    recipients: ['a@example.com'],
  });
  expect([status, error?.details[0].message]).toEqual([400, expect.stringContaining('--mail-server')]);
  await cloud.restart(0);
});
