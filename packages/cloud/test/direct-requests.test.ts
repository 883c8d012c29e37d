import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { buildReportedState, buildSample, pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  // Its public URL uses https, which adds a header.
  cloud = await startTestCloud({ publicUrl: 'https://signage.example.com' });
});
afterAll(() => cloud.close());

const DIRECT = '/v1/player/heartbeats';
/** The same route, but the framework answers it. */
const FRAMEWORK = '/v1/player/heartbeats?';

interface Sent {
  path: string;
  token: string;
  body: Buffer | string;
  headers?: string;
}

/** The whole response, as it was received. */
async function send({ path, token, body, headers = '' }: Sent): Promise<string> {
  const socket = connect(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: same\r\nauthorization: Bearer ${token}\r\n${headers}` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  socket.write(body);
  await eventually(() => expect(received).toMatch(/\r\n\r\n\{.*\}$/s));
  socket.destroy();
  return received;
}

/** Without what differs between two devices, and between two moments. */
const comparable = (response: string): string =>
  response
    .replace(/\r\n(Date: |ratelimit-reset: ).*(?=\r\n)/g, '')
    .replace(/"(manifest_revision|server_time)":"[^"]+"/g, '"$1"');

const state = buildReportedState();
const heartbeat = (samples: object[], more = {}) => JSON.stringify({ samples, state: { ...state, ...more } });

test('an ordinary heartbeat has the response of the framework, byte for byte, and so has one that is refused', async () => {
  const [first, second] = [await pairDevice(cloud), await pairDevice(cloud)];
  // Only then it is ordinary.
  for (const { client } of [first, second]) {
    expect(await client.post(FRAMEWORK, { samples: [], state })).toMatchObject({ status: 200 });
  }
  const nowIso = new Date(cloud.clock.nowMs()).toISOString();
  const cases: { body: Buffer | string; headers?: string; status: number }[] = [
    { body: heartbeat([buildSample(nowIso)]), status: 200 },
    { body: heartbeat([buildSample(nowIso)]), headers: 'connection: close\r\n', status: 200 },
    { body: heartbeat([buildSample(nowIso)], { shell: 'ümläut\0', unknown: [1] }), status: 200 },
    { body: heartbeat([buildSample('yesterday')], { storage: 7 }), status: 400 },
    { body: heartbeat([], { faults: [{ code: 'x'.repeat(200), since: nowIso }] }), status: 400 },
    { body: '{"samples":[', status: 400 },
    { body: Buffer.from([0x22, 0xff, 0x22]), status: 400 },
    { body: '['.repeat(100), status: 400 },
    { body: `[${'0,'.repeat(8_000)}0]`, status: 400 },
    { body: 'null', status: 400 },
  ];
  for (const { status, ...request } of cases) {
    const directly = await send({ ...request, path: DIRECT, token: first.token });
    const byFramework = await send({ ...request, path: FRAMEWORK, token: second.token });
    expect(comparable(directly)).toBe(comparable(byFramework));
    expect(directly).toContain(`HTTP/1.1 ${status} `);
    expect(directly).toContain('strict-transport-security');
  }
});

test('a device is refused from the next heartbeat on when it was removed, and when it is over its limit', async () => {
  const device = await pairDevice(cloud);
  const request = { path: DIRECT, token: device.token, body: heartbeat([]) };
  for (let sent = 0; sent < 120 - 1; sent++) {
    expect(await send(request)).toContain('HTTP/1.1 200 ');
  }
  expect(await send(request)).toContain('ratelimit-remaining: 0');
  expect(await send(request)).toContain('HTTP/1.1 429 ');
  cloud.clock.advance(61_000);
  expect(await send(request)).toContain('HTTP/1.1 200 ');
  await cloud.admin.delete(`/v1/devices/${device.deviceId}`);
  expect(await send(request)).toMatch(/HTTP\/1.1 401 .*DEVICE_UNPAIRED/s);
});

test('a command reaches the device with its heartbeat, and the sample is stored', async () => {
  const device = await pairDevice(cloud);
  const nowIso = new Date(cloud.clock.nowMs()).toISOString();
  const request = { path: DIRECT, token: device.token, body: heartbeat([buildSample(nowIso)]) };
  await send(request);
  await cloud.admin.post(`/v1/devices/${device.deviceId}/commands`, { command: 'REFRESH' });
  expect(await send(request)).toContain('"command":"REFRESH"');
  const detail = await cloud.admin.get(`/v1/devices/${device.deviceId}`);
  expect(detail.data).toMatchObject({ status: 'online', latest_heartbeat: { measured_at: nowIso } });
});
