import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { pairDevice, buildSample, startPairing, buildReportedState } from './support/paired-device.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const messages = (details: { path: string; message: string }[]) =>
  Object.fromEntries(details.map(({ path, message }) => [path, message]));

test('a player that reports only its serial keeps it', async () => {
  const { data: session } = await startPairing(cloud, 'SN-ALONE');
  const { data } = await cloud.admin.post('/v1/devices/pair', { code: session.code });
  expect(data.hardware).toMatchObject({ serial: 'SN-ALONE' });
});

test.each(['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/errors.css', '/pair', `/cdn/x.png`])(
  '%s allows only GET and names it in Allow',
  async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await cloud.clientFor(null).call(method, path);
      expect([answer.error?.code, answer.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET']);
    }
  },
);

test('delayed samples are neither the latest sample nor a sign of a wrong clock', async () => {
  const screen = await pairDevice(cloud);
  const beat = (...atMs: number[]) =>
    screen.client.post('/v1/player/heartbeats', {
      samples: atMs.map((ms) => buildSample(iso(ms))),
      state: buildReportedState(),
    });
  const shown = async () => {
    const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
    return { at: data.latest_heartbeat?.measured_at ?? null, offset: data.clock_offset_ms };
  };
  await beat(cloud.clock.nowMs() - 4 * HOUR_MS);
  expect((await shown()).offset, 'nothing is known yet').toBeNull();
  const freshMs = cloud.clock.nowMs();
  await beat(freshMs);
  const before = await shown();
  expect(before.at).toBe(iso(freshMs));
  expect(Math.abs(before.offset)).toBeLessThan(60_000);
  await beat(freshMs - 3 * HOUR_MS, freshMs - 3 * HOUR_MS - 60_000);
  expect(await shown()).toEqual(before);
});

test('an expiry with an offset is accepted and stored as UTC', async () => {
  const { data } = await cloud.admin.post('/v1/api-keys', {
    name: 'Offset',
    scope: 'Read',
    expires_at: '2099-12-31T18:00:00+01:00',
  });
  expect(data.expires_at).toBe('2099-12-31T17:00:00.000Z');
  const refused = await cloud.admin.post('/v1/api-keys', {
    name: 'No zone',
    scope: 'Read',
    expires_at: '2099-12-31T18:00:00',
  });
  expect(messages(refused.error?.details).expires_at).toContain('has no time zone');
});

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['EUROPE/BERLIN', 'Europe/Berlin'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['america/port-au-prince', 'America/Port-au-Prince'],
  ['utc', 'UTC'],
])('the time zone %s is stored as %s', async (typed, kept) => {
  const { data } = await cloud.admin.post('/v1/stores', { name: 'Zone', timezone: typed });
  expect(data.timezone).toBe(kept);
});

test('the error for a time without a zone, or with a plus decoded as a space, says what is missing', async () => {
  const screen = await pairDevice(cloud);
  const ask = async (at: string) =>
    messages(
      (await cloud.admin.get(`/v1/devices/${screen.deviceId}/active-schedule?at=${at}`)).error?.details,
    ).at;
  expect(await ask('2026-12-24T18:00:00')).toBe(
    'has no time zone: add Z for UTC, or an offset such as +01:00',
  );
  expect(await ask('2026-12-24T18:00:00+01:00')).toContain('%2B');
  expect(await ask('2026-02-30T18:00:00Z')).toContain('that exists');
  expect(await ask('tomorrow')).toContain('must be an ISO 8601 date');
});

test('validation messages of libraries are replaced by our own', async () => {
  const twice = await cloud.admin.get('/v1/devices?page=1&page=2');
  expect(twice.error?.details).toEqual([{ path: 'page', message: 'must be a single text, not a list' }]);
  const answer = await cloud.admin.post('/v1/schedules', {
    rules: [{ playlist_id: 'pl_x', start_time: '09:00', end_time: '10:00', days: [], priority: 1.5 }],
    targets: [{ type: 'planet' }],
  });
  expect(messages(answer.error?.details)).toEqual({
    name: 'is required',
    'rules.0.days': 'must have at least 1 entry',
    'rules.0.priority': 'must be a whole number',
    'targets.0.type': 'must be one of store, device, tag, all',
  });
});

const postStore = (body: string) =>
  cloud.admin.send('POST', '/v1/stores', {
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'order' },
  });

test('the same body in another order is the same request', async () => {
  const first = await postStore('{"name":"Order","city":"Bremen","tags":["a","b"]}');
  const again = await postStore('{ "tags": ["a", "b"], "city": "Bremen", "name": "Order" }');
  expect([again.status, again.data]).toEqual([201, first.data]);
  expect((await postStore('{"name":"Order","city":"Bremen","tags":["b","a"]}')).error?.code).toBe('CONFLICT');
});

test('the rate limit of a key survives a restart', async () => {
  const secret = await cloud.createKey('Write');
  // Plain fetch: the other clients advance the clock with each call.
  const ask = () =>
    fetch(`${cloud.cloud.url}/v1/devices`, { headers: { authorization: `Bearer ${secret}` } });
  for (let i = 0; i < 30; i++) {
    expect((await ask()).status).toBe(200);
  }
  await cloud.restart();
  expect((await ask()).status).toBe(429);
  cloud.clock.advance(60_000);
  expect((await ask()).status).toBe(200);
});

test('the limit of pairing starts per address survives a restart', async () => {
  const start = async (serial: string) => (await startPairing(cloud, serial)).status;
  cloud.clock.advance(600_000);
  for (let i = 0; i < 60; i++) {
    expect(await start(`SN-R${i}`)).toBe(200);
  }
  await cloud.restart();
  expect(await start('SN-R-one-more')).toBe(429);
});
