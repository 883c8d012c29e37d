import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { toTracingSettings } from '../src/config/tracing-options.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import { startRecordingServer } from './support/recording-server.ts';
import type { RecordingServer } from './support/recording-server.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

let receiver: RecordingServer;
let cloud: TestCloud;
beforeAll(async () => {
  receiver = await startRecordingServer((_request, response) => response.writeHead(200).end('{}'));
  cloud = await startTestCloud({
    tracing: { endpoint: receiver.url, headers: { 'x-key': 'key-of-the-receiver' } },
  });
});
afterAll(async () => {
  await cloud.close();
  await receiver.close();
});

const spans = (): Span[] =>
  receiver.requests.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap((each: { scopeSpans: { spans: Span[] }[] }) =>
      each.scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans of a trace once it has all of these names. */
const traceWith = (traceId: string, names: readonly string[]) =>
  eventually(() => {
    const found = spans().filter((span) => span.traceId === traceId);
    expect(found.map(({ name }) => name).toSorted()).toEqual([...names].toSorted());
    return new Map(found.map((span) => [span.name, span]));
  });

const EDIT = ['deployPlaylist', 'transaction', 'manifest.change', 'manifest.push', 'screen.apply'];

test('one trace has an edit from its request to what the screen acknowledges', async () => {
  const device = await pairDevice(cloud);
  const asset = (await cloud.admin.upload(await png(5), 'a.png')).data;
  const playlist = await cloud.admin.post('/v1/playlists', { name: 'P', items: [{ content_id: asset.id }] });
  const socket = await openPlayerSocket(cloud.cloud.url, device.token);
  onTestFinished(() => socket.close());
  await socket.next();

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await cloud.admin.post(
    `/v1/playlists/${playlist.data.id}/deploy`,
    { targets: [{ type: 'device', id: device.deviceId }] },
    { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': 'request-of-the-trace' },
  );
  const told = await socket.next();
  const revision = told.type === 'manifest_changed' ? told.revision : '';
  socket.send({ type: 'heartbeat', seq: 1, samples: [], state: buildReportedState() });
  socket.send({
    type: 'heartbeat',
    seq: 2,
    samples: [],
    changes: { applied_manifest_revision: revision },
  });

  const trace = await traceWith(traceId, EDIT);
  const span = (name: string) => trace.get(name)!;
  const parentOf = (name: string) =>
    [...trace.values()].find(({ spanId }) => spanId === span(name).parentSpanId)?.name;
  expect(span('deployPlaylist').parentSpanId).toBe('00f067aa0ba902b7');
  expect(['transaction', 'manifest.change', 'manifest.push', 'screen.apply'].map(parentOf)).toEqual([
    'deployPlaylist',
    'transaction',
    'transaction',
    'manifest.push',
  ]);
  expect(attributesOf(span('deployPlaylist'))).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/playlists/{id}/deploy',
    'placard.request_id': 'request-of-the-trace',
  });
  expect(attributesOf(span('manifest.push'))).toEqual({ 'placard.screens': '1' });
  expect(attributesOf(span('screen.apply'))).toEqual({
    'placard.device_id': device.deviceId,
    'placard.revision': revision,
    'placard.outcome': 'applied',
  });
  const time = (name: string) => BigInt(span(name).endTimeUnixNano);
  expect(time('screen.apply')).toBeGreaterThan(time('deployPlaylist'));
  expect(receiver.requests[0]?.headers['x-key']).toBe('key-of-the-receiver');
});

test('a screen that does not apply the change in ten minutes is an error in its trace', async () => {
  const device = await pairDevice(cloud);
  const socket = await openPlayerSocket(cloud.cloud.url, device.token);
  onTestFinished(() => socket.close());
  await socket.next();
  await cloud.admin.patch(`/v1/devices/${device.deviceId}`, { orientation: 'portrait' });
  await socket.next();
  await eventually(() => {
    cloud.clock.advance(11 * 60_000);
    const found = spans().find(
      (each) => each.name === 'screen.apply' && attributesOf(each)['placard.device_id'] === device.deviceId,
    );
    expect(found && attributesOf(found)['placard.outcome']).toBe('timed_out');
    expect(found?.status.code).toBe(2);
  });
});

test('a refused edit has its error code in the trace, and no trace has a secret or what was sent', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await cloud.admin.call('PATCH', '/v1/playlists/pl_none', { name: 'A private name' }, { traceparent });
  const refused = await eventually(() => {
    const found = spans().find(
      ({ traceId, name }) => traceId === 'a'.repeat(32) && name === 'updatePlaylist',
    );
    expect(found).toBeDefined();
    return found!;
  });
  expect(attributesOf(refused)['error.type']).toBe('PLAYLIST_NOT_FOUND');
  const sent = receiver.requests.map(({ body }) => body).join('\n');
  expect(sent).not.toMatch(/admin-key-of-the-tests|A private name|pld_|127\.0\.0\.1|key-of-the-receiver/);
});

test('reads are not traced, and a traceparent that is none begins a new trace', async () => {
  const before = spans().length;
  await cloud.admin.get('/v1/playlists');
  await cloud.admin.call('POST', '/v1/stores', { name: 'Store' }, { traceparent: '00-0-0-01' });
  await eventually(() => expect(spans().some(({ name }) => name === 'createStore')).toBe(true));
  const names = new Set(
    spans()
      .slice(before)
      .map(({ name }) => name),
  );
  expect(names.has('listPlaylists')).toBe(false);
  expect(spans().find(({ name }) => name === 'createStore')?.parentSpanId).toBeUndefined();
});

test('a receiver that does not answer delays no request', async () => {
  const silent = await startTestCloud({ tracing: { endpoint: 'http://127.0.0.1:9' } });
  onTestFinished(() => silent.close());
  expect((await silent.admin.post('/v1/stores', { name: 'Store' })).status).toBe(201);
});

test('endpoint and headers come from the variables of OpenTelemetry', () => {
  const headers = 'api-key=a%20secret, other = two';
  expect(
    toTracingSettings({ otlpEndpoint: 'http://127.0.0.1:4318' }, { OTEL_EXPORTER_OTLP_HEADERS: headers }),
  ).toEqual({ endpoint: 'http://127.0.0.1:4318', headers: { 'api-key': 'a secret', other: 'two' } });
  expect(toTracingSettings({}, { OTEL_EXPORTER_OTLP_HEADERS: headers })).toBeUndefined();
});
