import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const FILES = [
  { name: 'status.json', text: '{"state":"paired"}\n' },
  { name: 'runtime.log', text: 'Zürich ✓\n' },
];
const pack = (files: unknown): string => gzipSync(JSON.stringify({ files })).toString('base64');

const request = async ({ deviceId }: PairedDevice) =>
  (await cloud.admin.post(`/v1/devices/${deviceId}/logs`)).data;
const stateOf = async ({ deviceId }: PairedDevice) =>
  (await cloud.admin.get(`/v1/devices/${deviceId}/logs`)).data;
const upload = ({ client }: PairedDevice, commandId: string, bundle: string) =>
  client.post('/v1/player/logs', {
    command_id: commandId,
    taken_at: new Date(cloud.clock.nowMs()).toISOString(),
    bundle,
  });

test('a device that is asked sends its logs, which can be read file by file', async () => {
  const device = await pairDevice(cloud);
  expect(await stateOf(device)).toEqual({ logs: null, request: null });
  const asked = await request(device);
  expect(asked).toMatchObject({ device_id: device.deviceId, status: 'queued' });
  expect((await request(device)).id, 'while it has not answered, nobody asks again').toBe(asked.id);
  const heartbeat = await device.client.post('/v1/player/heartbeats', {
    samples: [],
    state: buildReportedState(),
  });
  expect(heartbeat.data.commands).toMatchObject([{ id: asked.id, command: 'LOGS' }]);

  expect((await upload(device, asked.id, pack(FILES))).status).toBe(200);
  const { logs, request: finished } = await stateOf(device);
  expect(finished).toMatchObject({ id: asked.id, status: 'succeeded' });
  expect(logs.files.map(({ name, size }: { name: string; size: number }) => [name, size])).toEqual([
    ['status.json', 19],
    ['runtime.log', Buffer.byteLength(FILES[1]!.text)],
  ]);
  const file = await cloud.admin.raw(logs.files[1].url);
  expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  expect(file.headers.get('content-disposition')).toContain('attachment');
  expect(await file.text()).toBe(FILES[1]!.text);
  expect(await cloud.admin.get(`/v1/devices/${device.deviceId}/logs/shell.log`)).toMatchObject({
    status: 404,
    error: { code: 'LOGS_NOT_FOUND' },
  });
  const events = await cloud.admin.get('/v1/events?types=device.logs&limit=100');
  expect(events.data.map(({ resource }: { resource: string }) => resource)).toEqual([device.deviceId]);
  // It is none of the commands of customers.
  expect((await cloud.admin.get(`/v1/commands?device_id=${device.deviceId}`)).data).toEqual([]);

  const again = await request(device);
  await upload(device, again.id, pack([{ name: 'runtime.log', text: 'newer' }]));
  expect((await stateOf(device)).logs.files).toHaveLength(1);
});

test('logs are accepted only from the device that was asked, and only as small files with different names', async () => {
  const device = await pairDevice(cloud);
  const other = await pairDevice(cloud);
  const { id } = await request(device);
  expect((await upload(other, id, pack(FILES))).error?.code).toBe('COMMAND_NOT_FOUND');
  const long = 'x'.repeat(17 * 1_048_576);
  for (const [what, bundle] of [
    ['no gzip', Buffer.from('{"files":[]}').toString('base64')],
    ['no JSON', gzipSync('status').toString('base64')],
    ['no file', pack([])],
    ['a name that leads elsewhere', pack([{ name: '../status.json', text: '' }])],
    ['a name twice', pack([FILES[0], FILES[0]])],
    ['more text than it may be', pack([{ name: 'runtime.log', text: long }])],
  ] as const) {
    expect((await upload(device, id, bundle)).error?.code, what).toBe('VALIDATION_ERROR');
  }
  expect((await stateOf(device)).logs).toBeNull();
  expect((await upload(device, id, pack(FILES))).status).toBe(200);
  expect((await upload(device, id, pack(FILES))).error?.code, 'once').toBe('COMMAND_NOT_FOUND');
});

test('only people who may write can ask for logs and read them, and the audit log says who has asked', async () => {
  const device = await pairDevice(cloud);
  const path = `/v1/devices/${device.deviceId}/logs`;
  const reader = cloud.clientFor(await cloud.createKey('Read'));
  const writer = cloud.clientFor(await cloud.createKey('Write'));
  for (const refused of [
    await reader.post(path),
    await reader.get(path),
    await reader.get(`${path}/runtime.log`),
  ]) {
    expect(refused.status).toBe(403);
  }
  expect((await writer.post(path)).status).toBe(202);
  const { data } = await cloud.admin.get(`/v1/audit-log?resource_id=${device.deviceId}&limit=1`);
  expect(data[0]).toMatchObject({ action: 'device.logs_requested' });
});

test('the clean-up deletes logs of 30 days ago, and those of removed devices', async () => {
  const own = await startTestCloud();
  onTestFinished(() => own.close());
  const send = async ({ deviceId, client }: PairedDevice, text: string) => {
    const { id } = (await own.admin.post(`/v1/devices/${deviceId}/logs`)).data;
    const bundle = pack([{ name: 'runtime.log', text }]);
    const taken_at = new Date(own.clock.nowMs()).toISOString();
    expect((await client.post('/v1/player/logs', { command_id: id, taken_at, bundle })).status).toBe(200);
    const { sha256 } = await own.inDatabase((db) =>
      db
        .selectFrom('device_logs')
        .select('sha256')
        .where('device_id', '=', deviceId)
        .executeTakeFirstOrThrow(),
    );
    return sha256;
  };
  const [kept, removed] = [await pairDevice(own), await pairDevice(own)];
  const hashes = [await send(kept, 'newest'), await send(removed, 'removed')];
  const filesKept = () =>
    Promise.all(
      hashes.map(async (hash) => (await own.clientFor(null).raw(`/cdn/${hash}.jpg`)).status === 200),
    );
  expect(await filesKept()).toEqual([true, true]);
  await own.admin.delete(`/v1/devices/${removed.deviceId}`);
  const logsOf = async () => (await own.admin.get(`/v1/devices/${kept.deviceId}/logs`)).data.logs;
  await eventually(async () => {
    // The job runs every hour, unless it still runs.
    own.clock.advance(3_600_000);
    expect(await filesKept()).toEqual([true, false]);
  });
  own.clock.advance(30 * 86_400_000);
  await eventually(async () => {
    own.clock.advance(3_600_000);
    expect(await logsOf()).toBeNull();
  });
});
