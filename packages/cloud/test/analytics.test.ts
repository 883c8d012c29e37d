import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';
import { pairDevice, buildReportedState } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

const BASE = Date.UTC(2026, 10, 19, 9, 30, 0);
const iso = (ms: number) => new Date(ms).toISOString();

let cloud: TestCloud;
let one: PairedDevice;
let two: PairedDevice;
let assets: { id: string }[];
let playlist: { id: string };
let store: { id: string };
let number = 0;
const play = (atMs: number, more: Record<string, unknown> = {}) => ({
  id: `play_${String(++number).padStart(20, '0')}`,
  content_id: assets[0]?.id,
  playlist_id: playlist.id,
  schedule_id: null,
  rule_id: null,
  started_at: iso(atMs),
  ended_at: iso(atMs + 10_000),
  duration_ms: 10_000,
  outcome: 'completed',
  reason: null,
  ...more,
});

beforeAll(async () => {
  cloud = await startTestCloud();
  store = (await cloud.admin.post('/v1/stores', { name: 'Old town' })).data;
  one = await pairDevice(cloud, { name: 'One', store_id: store.id });
  two = await pairDevice(cloud, { name: 'Two' });
  assets = [];
  for (const i of [0, 1]) {
    assets.push((await cloud.admin.upload(await png(i), `${i}.png`)).data);
  }
  playlist = (await cloud.admin.post('/v1/playlists', { name: 'P' })).data;
  await one.client.post('/v1/player/plays', {
    plays: [
      play(BASE),
      play(BASE + 60_000),
      play(BASE + 3_600_000, {
        content_id: assets[1]?.id,
        outcome: 'interrupted',
        reason: '=cmd("x"),\n"y"',
      }),
    ],
  });
  const late = play(BASE + 86_400_000, { playlist_id: null, outcome: 'failed', duration_ms: 500 });
  await two.client.post('/v1/player/plays', { plays: [late] });
  await two.client.post('/v1/player/plays', { plays: [late] });
});
afterAll(() => cloud.close());

const counts = (plays: number, seconds: number, completed: number, interrupted: number, failed: number) => ({
  plays,
  play_seconds: seconds,
  completed,
  interrupted,
  failed,
});
const rows = async (query: string) => (await cloud.admin.get(`/v1/analytics/plays?${query}`)).data;

test('plays are counted by content, playlist, device and store', async () => {
  expect(await rows('group_by=content')).toEqual([
    { key: assets[0]?.id, name: '0.png', ...counts(3, 21, 2, 0, 1) },
    { key: assets[1]?.id, name: '1.png', ...counts(1, 10, 0, 1, 0) },
  ]);
  expect(await rows('group_by=playlist')).toEqual([
    { key: playlist.id, name: 'P', ...counts(3, 30, 2, 1, 0) },
    { key: null, name: null, ...counts(1, 1, 0, 0, 1) },
  ]);
  expect(await rows('group_by=device')).toEqual([
    { key: one.deviceId, name: 'One', ...counts(3, 30, 2, 1, 0) },
    { key: two.deviceId, name: 'Two', ...counts(1, 1, 0, 0, 1) },
  ]);
  expect(await rows('group_by=store')).toEqual([
    { key: store.id, name: 'Old town', ...counts(3, 30, 2, 1, 0) },
    { key: null, name: null, ...counts(1, 1, 0, 0, 1) },
  ]);
});

test('plays are counted by hour and day in UTC', async () => {
  const hours = await rows('group_by=hour');
  expect(hours.map(({ key, plays }: { key: string; plays: number }) => [key, plays])).toEqual([
    ['2026-11-19T09:00:00.000Z', 2],
    ['2026-11-19T10:00:00.000Z', 1],
    ['2026-11-20T09:00:00.000Z', 1],
  ]);
  const days = await rows('group_by=day');
  expect(days.map(({ key, plays }: { key: string; plays: number }) => [key, plays])).toEqual([
    ['2026-11-19T00:00:00.000Z', 3],
    ['2026-11-20T00:00:00.000Z', 1],
  ]);
});

test('counts are paged', async () => {
  const { data, meta } = await cloud.admin.get('/v1/analytics/plays?group_by=content&limit=1&page=2');
  expect(data.map(({ key }: { key: string }) => key)).toEqual([assets[1]?.id]);
  expect(meta).toEqual({ page: 2, limit: 1, total: 2 });
  expect((await cloud.admin.get('/v1/analytics/plays')).meta).toEqual({ page: 1, limit: 10_000, total: 2 });
  expect((await cloud.admin.get('/v1/analytics/plays?limit=10001')).status).toBe(400);
});

const total = async (query: string) =>
  (await rows(query)).reduce((sum: number, row: { plays: number }) => sum + row.plays, 0);

test('the range is exact to the millisecond, and filters apply', async () => {
  expect(await total(`from=${iso(BASE)}&to=${iso(BASE + 1)}`)).toBe(1);
  expect(await total(`from=${iso(BASE + 1)}&to=${iso(BASE + 60_000)}`)).toBe(0);
  expect(await total(`from=${iso(BASE + 1)}&to=${iso(BASE + 3_600_001)}`)).toBe(2);
  expect(await total(`from=${iso(BASE - 1_800_000)}&to=${iso(BASE + 1_800_000)}`)).toBe(2);
  expect(await total(`device_id=${two.deviceId}`)).toBe(1);
  expect(await total(`content_id=${assets[1]?.id}`)).toBe(1);
  expect(await total(`playlist_id=${playlist.id}`)).toBe(3);
  expect((await cloud.admin.get('/v1/analytics/plays?group_by=colour')).status).toBe(400);
  expect((await cloud.admin.get('/v1/analytics/plays?from=2026-02-01&to=2026-01-01')).status).toBe(400);
  expect((await cloud.admin.get('/v1/analytics/plays?from=2020-01-01&group_by=hour')).status).toBe(400);
});

test('the export contains every play and escapes spreadsheet formulas', async () => {
  const response = await cloud.admin.raw('/v1/analytics/plays.csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const text = await response.text();
  const [header, first] = text.split('\r\n');
  expect(header).toBe(
    'id,device_id,content_id,playlist_id,schedule_id,rule_id,started_at,ended_at,duration_ms,outcome,reason',
  );
  expect(first).toBe(
    `play_00000000000000000001,${one.deviceId},${assets[0]?.id},${playlist.id},,,2026-11-19T09:30:00.000Z,` +
      '2026-11-19T09:30:10.000Z,10000,completed,',
  );
  expect(text).toContain(`"'=cmd(""x""),\n""y"""`);
  expect(text.match(/play_/g)).toHaveLength(4);
  const some = await (await cloud.admin.raw(`/v1/analytics/plays.csv?device_id=${two.deviceId}`)).text();
  expect(some.match(/play_/g)).toHaveLength(1);
});

test('HEAD of the export reads no plays and does not count as a running report', async () => {
  const made = vi.spyOn(Readable, 'from');
  try {
    for (let i = 0; i < 9; i++) {
      const { status, headers } = await cloud.admin.raw('/v1/analytics/plays.csv', { method: 'HEAD' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    }
    const exports = made.mock.results.filter((_, i) => !Array.isArray(made.mock.calls[i]?.[0]));
    expect(exports).toHaveLength(9);
    for (const { value } of exports) {
      expect([value.destroyed, value.readableDidRead]).toEqual([true, false]);
    }
  } finally {
    made.mockRestore();
  }
  expect((await cloud.admin.raw('/v1/analytics/plays.csv')).status).toBe(200);
});

test('a long export is streamed in batches and is complete', async () => {
  const screen = await pairDevice(cloud);
  for (let batch = 0; batch < 5; batch++) {
    const plays = Array.from({ length: 500 }, (_, i) => play(BASE - 86_400_000 + Math.floor(i / 100)));
    await screen.client.post('/v1/player/plays', { plays });
  }
  const text = await (await cloud.admin.raw(`/v1/analytics/plays.csv?device_id=${screen.deviceId}`)).text();
  const ids = text.match(/play_\d+/g) ?? [];
  expect([ids.length, new Set(ids).size]).toEqual([2500, 2500]);
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  const removed = (await rows('group_by=device')).find(({ key }: { key: string }) => key === screen.deviceId);
  expect(removed, 'plays of a removed device stay for reports').toMatchObject({ plays: 2500 });
  expect(removed.name).not.toBeNull();
});

test('uptime counts the time since pairing while the cloud was running', async () => {
  const screen = await pairDevice(cloud, { name: 'Half' });
  const pairedMs = cloud.clock.nowMs();
  const uptime = async () =>
    (await cloud.admin.get('/v1/analytics/uptime')).data.find(
      (row: { device_id: string }) => row.device_id === screen.deviceId,
    );
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  for (let i = 0; i < 10; i++) {
    cloud.clock.advance(60_000);
    await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  }
  const onlineMs = cloud.clock.nowMs() - pairedMs;
  cloud.clock.advance(onlineMs);
  await eventually(async () => {
    cloud.clock.advance(5000);
    expect((await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.status).toBe('offline');
  });
  await eventually(async () => {
    cloud.clock.advance(15_000);
    const row = await uptime();
    expect(row.online_seconds).toBeGreaterThan(onlineMs / 1000 - 30);
    expect(row.observed_seconds).toBeGreaterThan((2 * onlineMs) / 1000 - 30);
    expect(row.uptime_percent).toBeGreaterThan(35);
    expect(row.uptime_percent).toBeLessThan(51);
  });
});

test('the overview contains the totals', async () => {
  const { data } = await cloud.admin.get(`/v1/analytics?from=${iso(BASE)}`);
  expect(data).toMatchObject({
    from: iso(BASE),
    devices: 3,
    online: 0,
    ...counts(4, 31, 2, 1, 1),
  });
  expect(data.uptime_percent).toBeTypeOf('number');
  const before = await cloud.admin.get('/v1/analytics?from=2020-01-01&to=2020-01-02');
  expect(before.data).toMatchObject({ uptime_percent: null, observed_seconds: 0, plays: 0 });
});

test('too many concurrent reports are rejected', async () => {
  const large = await startTestCloud();
  try {
    await large.inDatabase(async (db) => {
      for (const table of [
        "online_spans (device_id, started_at, ended_at) select 'dev_' || i, i, i + 1",
        "removed_devices (id, name, removed_at) select 'dev_' || i, 'D', 0",
      ]) {
        await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 99999)
          insert into ${sql.raw(table)} from n`.execute(db);
      }
    });
    for (const path of ['?from=1970-01-01', '/uptime?from=1970-01-01', '/plays?group_by=device']) {
      const ask = async () => (await large.admin.get(`/v1/analytics${path}`)).status;
      const statuses = await Promise.all(Array.from({ length: 16 }, ask));
      expect(new Set(statuses), path).toEqual(new Set([429, 200]));
    }
  } finally {
    await large.close();
  }
});

test('plays and presence are kept for the configured retention period and then not counted', async () => {
  const short = await startTestCloud({ retention: { playDays: 1 } });
  try {
    const screen = await pairDevice(short);
    await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
    const spans = () =>
      short.inDatabase(async (db) => (await db.selectFrom('online_spans').selectAll().execute()).length);
    const atMs = short.clock.nowMs();
    await screen.client.post('/v1/player/plays', { plays: [play(atMs)] });
    const from = iso(atMs - 86_400_000);
    const left = async () => [
      (await short.admin.get(`/v1/analytics?from=${from}`)).data.plays,
      ((await short.admin.get(`/v1/analytics/plays.csv?from=${from}`)).data.match(/play_/g) ?? []).length,
    ];
    short.clock.advance(82_800_000);
    expect([...(await left()), await spans()]).toEqual([1, 1, 1]);
    short.clock.advance(7_200_000);
    await eventually(async () => {
      short.clock.advance(3_600_000);
      expect([...(await left()), await spans()]).toEqual([0, 0, 0]);
    });
    const ever = (await short.admin.get('/v1/analytics/uptime?from=2000-01-01')).data;
    expect(ever[0].observed_seconds, 'deleted history does not count as observed').toBeLessThanOrEqual(
      86_400,
    );
  } finally {
    await short.close();
  }
});
