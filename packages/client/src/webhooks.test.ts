import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const SECRET = `whsec_${btoa('a secret of 24 bytes or so')}`;
const OTHER = `whsec_${btoa('another secret, also long')}`;
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const BODY = JSON.stringify({ id: 'evt_1', type: 'device.online', data: {} });

/** The headers of a delivery, signed by an independent implementation. */
const sign = (secret = SECRET, atMs = NOW_MS) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(atMs / 1000),
  'webhook-signature': new Webhook(secret).sign('msg_1', new Date(atMs), BODY),
});
const verify = (
  headers: Parameters<typeof verifyWebhook>[1],
  body: string | Uint8Array = BODY,
  secret = SECRET,
) => verifyWebhook(body, headers, secret, { nowMs: NOW_MS });

test('a signed delivery is returned, whatever form the headers have', async () => {
  const headers = sign();
  const upperCase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  for (const each of [headers, new Headers(headers), upperCase]) {
    expect(await verify(each)).toMatchObject({ id: 'evt_1', type: 'device.online' });
  }
  expect(await verify(headers, new TextEncoder().encode(BODY))).toMatchObject({ id: 'evt_1' });
});

test('during a rotation either secret and either signature will do', async () => {
  const both = {
    ...sign(),
    'webhook-signature': `${sign(OTHER)['webhook-signature']} ${sign()['webhook-signature']}`,
  };
  expect(await verify(both)).toMatchObject({ id: 'evt_1' });
  expect(await verifyWebhook(BODY, sign(), [OTHER, SECRET], { nowMs: NOW_MS })).toMatchObject({
    id: 'evt_1',
  });
});

test.each([
  ['another secret', sign(OTHER)],
  ['an old timestamp', sign(SECRET, NOW_MS - 301_000)],
  ['a timestamp of the future', sign(SECRET, NOW_MS + 301_000)],
  ['a timestamp that is no number', { ...sign(), 'webhook-timestamp': 'x' }],
  ['another id', { ...sign(), 'webhook-id': 'msg_2' }],
  ['a signature that is not base64', { ...sign(), 'webhook-signature': 'v1,%%%' }],
  ['no signature', { ...sign(), 'webhook-signature': '' }],
  ['no headers', {}],
])('%s is refused', async (_, headers) => {
  await expect(verify(headers)).rejects.toBeInstanceOf(WebhookVerificationError);
});

test('a changed body is refused', async () => {
  await expect(verify(sign(), BODY.replace('online', 'offline'))).rejects.toThrow('webhook-signature');
});

test('a secret of another kind is a mistake of the program', async () => {
  await expect(verify(sign(), BODY, 'secret')).rejects.toBeInstanceOf(TypeError);
});
