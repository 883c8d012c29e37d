import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { toMetricsSettings } from '../src/config/metrics-options.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { png } from './support/media.ts';
import { buildReportedState, buildSample, pairDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import { startRecordingServer } from './support/recording-server.ts';
import { parseSamples, scrape } from './support/scrape.ts';
import type { Samples } from './support/scrape.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const TOKEN = 'token-of-the-metrics-0001';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud({ metrics: { port: 0, token: TOKEN }, allowAddresses: ['127.0.0.1'] });
});
afterAll(() => cloud.close());

/** Scrapes, counting in the background anew, until the samples are as expected. */
const samplesWith = (expected: Record<string, unknown>) =>
  eventually(async () => {
    cloud.clock.advance(31_000);
    const samples = await scrape(cloud);
    expect(Object.fromEntries(samples)).toMatchObject(expected);
    return samples;
  });

const heartbeat = (measuredMs: number, faults: unknown[] = []) => ({
  samples: [buildSample(new Date(measuredMs).toISOString())],
  state: buildReportedState({ faults }),
});

test('requests are counted by operation and status, and their durations measured', async () => {
  const before = await scrape(cloud);
  await cloud.admin.get('/v1/stores');
  await cloud.clientFor('a-key-that-is-unknown').get('/v1/stores');
  await fetch(`${cloud.cloud.url}/healthz`);
  const after = (name: string, more: number) => (before.get(name) ?? 0) + more;
  const ok = 'placard_http_requests_total{operation="listStores",status="2xx"}';
  const refused = 'placard_http_requests_total{operation="listStores",status="4xx"}';
  const measured = 'placard_http_request_duration_seconds_count{operation="listStores"}';
  await samplesWith({ [ok]: after(ok, 1), [refused]: after(refused, 1), [measured]: after(measured, 2) });
  const text = await (await fetch(cloud.cloud.metricsUrl ?? '')).text();
  const named = [...text.matchAll(/operation="(\w+)"/g)].map(([, name = '']) => name);
  expect(new Set(named)).toEqual(new Set([...Object.keys(operations), 'other']));
});

test('heartbeats are counted by their way, and screens by what they report', async () => {
  const device = await pairDevice(cloud);
  const other = await pairDevice(cloud);
  const socket = await openPlayerSocket(cloud.cloud.url, device.token);
  const welcome = await socket.next();
  const nowMs = () => cloud.clock.nowMs();
  await other.client.post('/v1/player/heartbeats', heartbeat(nowMs(), [fault(nowMs())]));
  socket.send({ type: 'heartbeat', seq: 1, ...heartbeat(nowMs()) });
  expect((await socket.next()).type).toBe('heartbeat_ack');
  const states = {
    'placard_heartbeats_total{transport="http"}': 1,
    'placard_heartbeats_total{transport="socket"}': 1,
    placard_sockets: 1,
    placard_screens_with_faults: 1,
  };
  await samplesWith({ ...states, placard_sockets_behind: 1 });
  const revision = welcome.type === 'welcome' ? welcome.manifest_revision : '';
  socket.send({
    type: 'heartbeat',
    seq: 2,
    samples: [],
    changes: { applied_manifest_revision: revision },
  });
  expect((await socket.next()).type).toBe('heartbeat_ack');
  expect(both(await samplesWith({ placard_sockets_behind: 0 }))).toBe(2);
  socket.close();
  await samplesWith({ placard_sockets: 0, 'placard_screens{state="offline"}': 2 });
});

const both = (samples: Samples): number =>
  (samples.get('placard_screens{state="online"}') ?? 0) +
  (samples.get('placard_screens{state="offline"}') ?? 0);

const fault = (nowMs: number) => ({
  code: 'disk.full',
  severity: 'error',
  since: new Date(nowMs).toISOString(),
  facts: {},
});

test('an event that a webhook has not got yet becomes older until it is delivered or the webhook is switched off', async () => {
  const receiver = await startRecordingServer((_request, response) => response.writeHead(500).end());
  onTestFinished(() => receiver.close());
  const webhook = { url: `${receiver.url}/hook`, events: ['content.created'] };
  const { id } = (await cloud.admin.post('/v1/webhooks', webhook)).data;
  await cloud.admin.upload(await png(3), 'a.png');
  const waiting = await samplesWith({
    'placard_webhook_deliveries_total{outcome="failed"}': expect.toSatisfy((n: number) => n > 0),
    placard_webhook_deliveries_pending: 1,
    'placard_webhooks{state="active"}': 1,
    placard_assets: 1,
  });
  expect(waiting.get('placard_asset_bytes')).toBe((await png(3)).length);
  const age = waiting.get('placard_webhook_oldest_event_age_seconds') ?? 0;
  expect(age).toBeGreaterThan(0);
  await samplesWith({
    placard_webhook_oldest_event_age_seconds: expect.toSatisfy((seconds: number) => seconds > age + 30),
    placard_counts_age_seconds: expect.toSatisfy((seconds: number) => seconds < 32),
  });
  await cloud.admin.patch(`/v1/webhooks/${id}`, { is_active: false });
  await samplesWith({
    'placard_webhooks{state="disabled"}': 1,
    placard_webhook_deliveries_pending: 1,
    placard_webhook_oldest_event_age_seconds: 0,
    placard_webhook_overdue_seconds: 0,
  });
  await cloud.admin.patch(`/v1/webhooks/${id}`, { is_active: true });
  receiver.respond = (_request, response) => response.writeHead(204).end();
  await samplesWith({
    'placard_webhook_deliveries_total{outcome="succeeded"}': 1,
    placard_webhook_deliveries_pending: 0,
    placard_webhook_oldest_event_age_seconds: 0,
    placard_webhook_overdue_seconds: 0,
  });
});

test('operations on many screens are counted until they have finished, with the screens that are left', async () => {
  const waiting = {
    action: JSON.stringify({ type: 'add_tags', tags: ['x'] }),
    filter: null,
    cursor: null,
    total: 5,
    succeeded: 1,
    failed: 1,
    told_at: 0,
    actor_type: 'api_key' as const,
    actor_id: 'key_1',
    actor_name: 'K',
    address: '',
    request_id: '',
    created_at: cloud.clock.nowMs() - 600_000,
    finished_at: null,
  };
  // They have no rows of devices, so they never finish.
  await cloud.inDatabase((db) =>
    db
      .insertInto('bulk_operations')
      .values([
        { ...waiting, id: 'op_first', status: 'running' },
        { ...waiting, id: 'op_second', status: 'running' },
        { ...waiting, id: 'op_finished', status: 'finished', created_at: 0 },
      ])
      .execute(),
  );
  const unfinished = await samplesWith({
    'placard_operations{state="selecting"}': 0,
    'placard_operations{state="running"}': 2,
    placard_operation_results_pending: 6,
  });
  expect(unfinished.get('placard_operation_oldest_age_seconds')).toBeGreaterThan(600);
  // The clock goes on while the samples are awaited.
  expect(unfinished.get('placard_operation_oldest_age_seconds')).toBeLessThan(3600);
  await cloud.inDatabase((db) => db.updateTable('bulk_operations').set({ status: 'cancelled' }).execute());
  await samplesWith({
    'placard_operations{state="selecting"}': 0,
    'placard_operations{state="running"}': 0,
    placard_operation_results_pending: 0,
    placard_operation_oldest_age_seconds: 0,
  });
});

test('disk, database, process and event loop are measured', async () => {
  const samples = await samplesWith({ placard_leader: 1 });
  const positive = ['placard_disk_free_bytes', 'placard_database_size_bytes', 'nodejs_heap_size_used_bytes'];
  const known = ['placard_disk_low', 'placard_disk_full', 'nodejs_eventloop_lag_p99_seconds'];
  const ofEngine =
    cloud.database === undefined
      ? ['placard_database_free_bytes', 'placard_database_journal_bytes']
      : ['placard_database_connections{state="in_use"}', 'placard_database_connection_waiters'];
  for (const name of [...known, ...ofEngine]) {
    expect(samples.has(name), name).toBe(true);
  }
  for (const name of positive) {
    expect(samples.get(name), name).toBeGreaterThan(0);
  }
});

test('the dashboard and the alert rules use only metrics that there are', async () => {
  const text = await (await fetch(cloud.cloud.metricsUrl ?? '')).text();
  const known = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
    const source = await readFile(join(import.meta.dirname, '../../../build/monitoring', file), 'utf8');
    const used = source.match(/\b(placard|nodejs|process)_[a-z0-9_]+/g) ?? [];
    expect(used.length, file).toBeGreaterThan(15);
    expect(
      used.filter((name) => !known.has(name)),
      file,
    ).toEqual([]);
  }
});

test('the port of the API serves metrics to those who send the token', async () => {
  const read = (authorization?: string) =>
    fetch(`${cloud.cloud.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
  const response = await read(`Bearer ${TOKEN}`);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(parseSamples(await response.text()).has('placard_sockets')).toBe(true);
  expect((await read()).status).toBe(401);
  expect((await read('Bearer admin-key-of-the-tests-0001')).status).toBe(401);
  const port = cloud.cloud.metricsUrl ?? '';
  expect((await fetch(port, { method: 'POST' })).status).toBe(404);
  expect((await fetch(port.replace('/metrics', '/v1/devices'))).status).toBe(404);
});

test('without the settings there are no metrics', async () => {
  const plain = await startTestCloud();
  onTestFinished(() => plain.close());
  expect(plain.cloud.metricsUrl).toBeNull();
  const response = await fetch(`${plain.cloud.url}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(response.status).toBe(404);
});

test('settings that cannot work give one clear sentence', async () => {
  expect(() => toMetricsSettings({ metricsHost: '0.0.0.0' })).toThrow('add --metrics-port');
  expect(() => toMetricsSettings({ metricsTokenFile: '/nowhere/token' })).toThrow(
    '/nowhere/token of --metrics-token-file cannot be read (ENOENT)',
  );
  const file = join(tempDir(), 'token');
  await writeFile(file, `${TOKEN}\n`);
  expect(toMetricsSettings({ metricsTokenFile: file })).toEqual({ token: TOKEN });
  expect(toMetricsSettings({ metricsPort: 9464 })).toEqual({ port: 9464, host: '127.0.0.1' });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await expect(startTestCloud({ metrics: { port } })).rejects.toThrow(/already in use.*--metrics-port/);
});
