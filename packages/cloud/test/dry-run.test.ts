import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
/** A week in which no clock changes, as the query of a dry run. */
const WEEK = 'from=2026-12-07&to=2026-12-14';
const DRY = `dry_run=true&${WEEK}`;

interface Change {
  start: string;
  end: string;
  kind: string;
  before: { playlist: { id: string; name: string } | null };
  after: { playlist: { id: string; name: string } | null };
}
interface Group {
  device_count: number;
  devices: { id: string }[];
  changes: Change[];
}

let cloud: TestCloud;
let left: PairedDevice;
let right: PairedDevice;
let entrance: PairedDevice;
let images: string[];
let morning: string;
let noon: string;
let base: string;
beforeAll(async () => {
  cloud = await startTestCloud();
  images = [];
  for (const each of [1, 2]) {
    images.push((await cloud.admin.upload(await png(each), `${each}.png`)).data.id);
  }
  const items = [{ content_id: images[0] }];
  morning = await made('/v1/playlists', { name: 'Morning', items });
  noon = await made('/v1/playlists', { name: 'Noon', items });
  base = await made('/v1/playlists', { name: 'Base', items });
  left = await pairDevice(cloud, { name: 'Left', tags: ['counter'] });
  right = await pairDevice(cloud, { name: 'Right', tags: ['counter'] });
  entrance = await pairDevice(cloud, { name: 'Entrance', tags: ['entrance'] });
  await cloud.admin.post(`/v1/playlists/${base}/deploy`, { targets: [counter] });
});
afterAll(() => cloud.close());

const counter = { type: 'tag', value: 'counter' };
const made = async (path: string, body: unknown): Promise<string> =>
  (await cloud.admin.post(path, body)).data.id;
const daily = (playlist_id: string, start_time: string, end_time: string, more: object = {}) => ({
  playlist_id,
  start_time,
  end_time,
  days: EVERY_DAY,
  ...more,
});
const shortOf = (changes: Change[]) =>
  changes.map(({ start, end, kind, before, after }) => [
    `${start.slice(5, 16)} – ${end.slice(5, 16)}`,
    kind,
    before.playlist?.name ?? null,
    after.playlist?.name ?? null,
  ]);
const idsOf = (group: Group | undefined) => group?.devices.map(({ id }) => id);
const ordered = (...screens: PairedDevice[]) => screens.map(({ deviceId }) => deviceId).toSorted();

/** Everything that a change would leave behind. */
async function state() {
  const paths = ['schedules', 'playlists', 'audit-log', 'events?limit=100'];
  const lists = await Promise.all(paths.map(async (path) => (await cloud.admin.get(`/v1/${path}`)).data));
  const manifest = await left.client.get('/v1/player/manifest');
  return [lists, manifest.data.revision];
}

test('a dry run of a new schedule says which screens would show what when, and stores nothing', async () => {
  const before = await state();
  const body = { name: 'Breakfast', rules: [daily(morning, '06:00', '10:00')], targets: [counter] };
  const { status, data } = await cloud.admin.post(`/v1/schedules?${DRY}`, body);
  expect(status).toBe(200);
  expect(data).toMatchObject({ name: 'Breakfast', rule_count: 1, warnings: [] });
  const { groups, ...summary } = data.dry_run;
  expect(summary).toEqual({
    from: '2026-12-07T00:00:00.000Z',
    to: '2026-12-14T00:00:00.000Z',
    device_count: 2,
    playlist_changes: 2,
    content_changes: 0,
    first_change: '2026-12-07T06:00:00.000Z',
    group_count: 1,
    unexamined_device_count: 0,
  });
  expect(groups).toMatchObject([{ device_count: 2, change_count: 7 }]);
  expect(idsOf(groups[0])).toEqual(ordered(left, right));
  expect(groups[0].changes).toHaveLength(7);
  expect(groups[0].changes[0]).toEqual({
    start: '2026-12-07T06:00:00.000Z',
    end: '2026-12-07T10:00:00.000Z',
    kind: 'playlist_changes',
    before: {
      source: 'deployment',
      playlist: { id: base, name: 'Base' },
      schedule: null,
      rule_id: null,
      reason: 'No rule is active: the deployed playlist “Base” is shown.',
    },
    after: {
      source: 'schedule',
      playlist: { id: morning, name: 'Morning' },
      schedule: { id: data.id, name: 'Breakfast' },
      rule_id: data.rules[0].id,
      reason: 'A rule of the schedule “Breakfast” is active and shows the playlist “Morning”.',
    },
  });
  expect(await state()).toEqual(before);
  expect((await cloud.admin.get(`/v1/schedules/${data.id}`)).status).toBe(404);
});

test('a dry run is of the next seven days, unless it is asked for others', async () => {
  const body = { name: 'X', rules: [], targets: [] };
  const { data } = await cloud.admin.post('/v1/schedules?dry_run=true', body);
  const { from, to } = data.dry_run;
  expect(from).toBe(new Date(cloud.clock.nowMs()).toISOString());
  expect(Date.parse(to) - Date.parse(from)).toBe(7 * 86_400_000);
  expect(data.dry_run).toMatchObject({ device_count: 0, first_change: null, group_count: 0, groups: [] });
  for (const query of ['dry_run=yes', WEEK, 'dry_run=true&from=2026-12-01&to=2027-01-02', `${DRY}&limit=1`]) {
    const { error } = await cloud.admin.post(`/v1/schedules?${query}`, body);
    expect(error?.code, query).toBe('VALIDATION_ERROR');
  }
});

test('a dry run of each change of a schedule', async () => {
  const id = await made('/v1/schedules', {
    name: 'Lunch',
    rules: [daily(noon, '12:00', '14:00', { starts_on: '2026-12-13' })],
    targets: [counter],
  });
  const changesOf = async (method: string, path: string, body?: unknown) => {
    const { data, status } = await cloud.admin.call(method, `/v1/schedules/${id}${path}?${DRY}`, body);
    expect(status).toBe(200);
    expect(data.id).toBe(id);
    return data.dry_run.groups.flatMap((group: Group) => [idsOf(group), ...shortOf(group.changes)]);
  };
  const counters = ordered(left, right);
  const off = ['12-13T12:00 – 12-13T14:00', 'playlist_changes', 'Noon', 'Base'];
  expect(await changesOf('DELETE', '')).toEqual([counters, off]);
  expect(await changesOf('POST', '/deactivate')).toEqual([counters, off]);
  expect(await changesOf('PATCH', '', { is_active: false })).toEqual([counters, off]);
  expect(await changesOf('POST', '/activate')).toEqual([]);
  expect(await changesOf('PATCH', '', { name: 'Late lunch' })).toEqual([]);
  const later = daily(noon, '13:00', '15:00', { starts_on: '2026-12-13' });
  expect(await changesOf('PATCH', '', { rules: [later] })).toEqual([
    counters,
    ['12-13T12:00 – 12-13T13:00', 'playlist_changes', 'Noon', 'Base'],
    ['12-13T14:00 – 12-13T15:00', 'playlist_changes', 'Base', 'Noon'],
  ]);
  // Another rule with the same playlist is no difference on the screen.
  const same = daily(noon, '12:00', '14:00', { starts_on: '2026-12-13' });
  expect(await changesOf('PATCH', '', { rules: [same] })).toEqual([]);
  expect(await changesOf('PATCH', '', { targets: [{ type: 'device', id: entrance.deviceId }] })).toEqual([
    counters,
    off,
    ordered(entrance),
    ['12-13T12:00 – 12-13T14:00', 'playlist_changes', null, 'Noon'],
  ]);
  await cloud.admin.post(`/v1/schedules/${id}/deactivate`);
  expect(await changesOf('POST', '/activate')).toEqual([
    counters,
    ['12-13T12:00 – 12-13T14:00', 'playlist_changes', 'Base', 'Noon'],
  ]);
  await cloud.admin.delete(`/v1/schedules/${id}`);
});

test('another content of a playlist is a content change, where it is shown', async () => {
  const schedule = await made('/v1/schedules', {
    name: 'Weekend',
    rules: [daily(noon, '00:00', '24:00', { starts_on: '2026-12-12', ends_on: '2026-12-12' })],
    targets: [{ type: 'device', id: entrance.deviceId }],
  });
  const { items } = (await cloud.admin.get(`/v1/playlists/${noon}`)).data;
  const dryRunOf = async (method: string, path: string, body?: unknown) => {
    const { data, status } = await cloud.admin.call(method, `/v1/playlists/${noon}${path}?${DRY}`, body);
    expect(status).toBe(200);
    return data.dry_run;
  };
  const saturday = ['12-12T00:00 – 12-13T00:00', 'content_changes', 'Noon', 'Noon'];
  for (const [method, path, body] of [
    ['PATCH', '', { items: [{ content_id: images[1] }] }],
    ['PATCH', '', { mode: 'shuffle' }],
    ['POST', '/items', { content_id: images[1] }],
    ['DELETE', `/items/${items[0].id}`, undefined],
  ] as const) {
    const found = await dryRunOf(method, path, body);
    expect(found, method).toMatchObject({ device_count: 1, playlist_changes: 0, content_changes: 1 });
    expect(shortOf(found.groups[0].changes), method).toEqual([saturday]);
  }
  const emptied = await dryRunOf('PATCH', '', { items: [] });
  expect(emptied.groups[0].changes[0].after.reason).toContain('“Noon” is empty');
  const renamed = await dryRunOf('PATCH', '', { name: 'Midday', items: [{ content_id: images[0] }] });
  expect(renamed).toMatchObject({ device_count: 0, groups: [] });
  await cloud.admin.delete(`/v1/schedules/${schedule}`);
});

test('a deployment replaces the base playlist, and without its playlist there is none', async () => {
  const schedule = await made('/v1/schedules', {
    name: 'Afternoon',
    rules: [daily(noon, '12:00', '24:00')],
    targets: [counter],
  });
  const body = { targets: [{ type: 'device', id: left.deviceId }] };
  const deployed = await cloud.admin.post(`/v1/playlists/${morning}/deploy?${DRY}`, body);
  expect(deployed.status).toBe(200);
  expect(deployed.data).toMatchObject({ playlist_id: morning, device_count: 1 });
  const [group] = deployed.data.dry_run.groups;
  expect(idsOf(group)).toEqual([left.deviceId]);
  expect(shortOf(group.changes).slice(0, 2)).toEqual([
    ['12-07T00:00 – 12-07T12:00', 'playlist_changes', 'Base', 'Morning'],
    ['12-08T00:00 – 12-08T12:00', 'playlist_changes', 'Base', 'Morning'],
  ]);
  const deleted = await cloud.admin.delete(`/v1/playlists/${base}?${DRY}`);
  expect(deleted.data).toMatchObject({ id: base, dry_run: { device_count: 2, playlist_changes: 2 } });
  expect(shortOf(deleted.data.dry_run.groups[0].changes)[0]).toEqual([
    '12-07T00:00 – 12-07T12:00',
    'playlist_changes',
    'Base',
    null,
  ]);
  expect((await cloud.admin.get(`/v1/playlists/${base}`)).status).toBe(200);
  await cloud.admin.delete(`/v1/schedules/${schedule}`);
});

test('a dry run fails like the change, needs the same scope, and counts like it', async () => {
  const target = { type: 'device', id: 'dev_none' };
  const id = await made('/v1/schedules', { name: 'Used', rules: [daily(noon, '08:00', '09:00')] });
  const noTime = { name: 'X', rules: [{ ...daily(noon, '08:00', '25:00'), rrule: 'FREQ=HOURLY' }] };
  for (const [method, path, body] of [
    ['POST', '/v1/schedules', { name: 'X', targets: [target] }],
    ['POST', '/v1/schedules', { name: 'X', rules: [daily('pl_none', '08:00', '09:00')] }],
    ['POST', '/v1/schedules', noTime],
    ['PATCH', '/v1/schedules/sch_none', { name: 'X' }],
    ['POST', '/v1/schedules/sch_none/activate', undefined],
    ['DELETE', `/v1/playlists/${noon}`, undefined],
    ['DELETE', `/v1/playlists/${base}/items/item_none`, undefined],
    ['POST', `/v1/playlists/${base}/items`, { content_id: 'asset_none' }],
    ['POST', `/v1/playlists/${base}/deploy`, { targets: [target] }],
  ] as const) {
    const real = await cloud.admin.call(method, path, body);
    const dry = await cloud.admin.call(method, `${path}?dry_run=true`, body);
    expect(real.error, path).toBeDefined();
    expect(dry.error, path).toEqual(real.error);
  }
  const stale = { 'if-match': '"other"' };
  const changed = await cloud.admin.call('PATCH', `/v1/schedules/${id}?${DRY}`, { name: 'Y' }, stale);
  expect(changed.error?.code).toBe('PRECONDITION_FAILED');
  const reader = cloud.clientFor(await cloud.createKey('Read'));
  const writer = cloud.clientFor(await cloud.createKey('Write'));
  const newOne = { name: 'Z' };
  expect((await reader.post('/v1/schedules?dry_run=true', newOne)).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect((await writer.delete(`/v1/schedules/${id}?dry_run=true`)).error?.code).toBe('INSUFFICIENT_SCOPE');
  const allowed = await writer.post('/v1/schedules?dry_run=true', newOne);
  expect([allowed.status, allowed.headers.get('ratelimit-limit')]).toEqual([200, '30']);
  await cloud.admin.delete(`/v1/schedules/${id}`);
});

test('a dry run does not use up an Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'first-dry-then-real' };
  const body = { name: 'Once' };
  const dry = await cloud.admin.post('/v1/schedules?dry_run=true', body, key);
  const again = await cloud.admin.post('/v1/schedules?dry_run=true', body, key);
  const real = await cloud.admin.post('/v1/schedules', body, key);
  expect([dry.status, again.status, real.status]).toEqual([200, 200, 201]);
  expect(real.data.dry_run).toBeUndefined();
  await cloud.admin.delete(`/v1/schedules/${real.data.id}`);
});

test('what a dry run says is what the timelines of all devices say after the change', async () => {
  const screens = [left, right, entrance];
  const timelines = async () =>
    Promise.all(
      screens.map(async ({ deviceId }) => {
        const { data } = await cloud.admin.get(`/v1/devices/${deviceId}/timeline?${WEEK}`);
        return { deviceId, segments: data.segments };
      }),
    );
  interface Segment {
    start: string;
    end: string;
    playlist: { id: string } | null;
  }
  const shownAt = (segments: Segment[], at: string) =>
    segments.find(({ start, end }) => start <= at && at < end)?.playlist?.id ?? null;
  for (let seed = 1; seed <= 6; seed++) {
    const random = createSeededRandom(seed);
    const time = () => `${String(random.int(0, 23)).padStart(2, '0')}:${random.pick(['00', '30'])}`;
    const body = {
      name: `Random ${seed}`,
      rules: Array.from({ length: 3 }, () => ({
        ...daily(random.pick([morning, noon, base]), time(), time(), { priority: random.int(0, 3) }),
        days: random.some(EVERY_DAY, 0.3),
      })),
      targets: random.some(
        [counter, { type: 'device', id: left.deviceId }, { type: 'tag', value: 'entrance' }],
        0.5,
      ),
    };
    const before = await timelines();
    const { groups } = (await cloud.admin.post(`/v1/schedules?${DRY}`, body)).data.dry_run;
    await made('/v1/schedules', body);
    const after = await timelines();
    for (const [index, { deviceId, segments }] of after.entries()) {
      const earlier = before[index]?.segments ?? [];
      const changes: Change[] = groups
        .filter((group: Group) => idsOf(group)?.includes(deviceId))
        .flatMap((group: Group) => group.changes);
      const instants = [...earlier, ...segments].map(({ start }: Segment) => start);
      for (const at of instants) {
        const change = changes.find(({ start, end }) => start <= at && at < end);
        const [was, is] = [shownAt(earlier, at), shownAt(segments, at)];
        const expected = was === is ? undefined : [was, is];
        const said = change && [change.before.playlist?.id ?? null, change.after.playlist?.id ?? null];
        expect(said, `seed ${seed}, ${deviceId} at ${at}`).toEqual(expected);
      }
    }
  }
});
