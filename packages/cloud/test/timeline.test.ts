import { MAX_SEGMENTS } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { pairDevice } from './support/paired-device.ts';

const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const DAY_MS = 86_400_000;

let cloud: TestCloud;
let playlists: string[];
let breakfast: string;
beforeAll(async () => {
  cloud = await startTestCloud();
  await cloud.admin.patch('/v1/organization', { timezone: 'Europe/Berlin' });
  playlists = [];
  for (const name of ['Morning', 'Noon', 'Night', 'Base']) {
    playlists.push(await made('/v1/playlists', { name }));
  }
  breakfast = await made('/v1/schedules', {
    name: 'Breakfast',
    rules: [
      { playlist_id: playlists[0], start_time: '06:00', end_time: '10:30', days: EVERY_DAY, priority: 10 },
      { playlist_id: playlists[2], start_time: '22:00', end_time: '06:00', days: ['FRI', 'SAT'] },
    ],
    targets: [{ type: 'tag', value: 'counter' }],
  });
});
afterAll(() => cloud.close());

const made = async (path: string, body: unknown): Promise<string> =>
  (await cloud.admin.post(path, body)).data.id;
const timelineOf = (id: string, query = '') => cloud.admin.get(`/v1/devices/${id}/timeline${query}`);
const iso = (ms: number) => new Date(ms).toISOString();

interface Segment {
  start: string;
  end: string;
  playlist: { name: string } | null;
}

test('a timeline has the segments with names and reasons, without gaps', async () => {
  const { deviceId } = await pairDevice(cloud, { name: 'Counter', tags: ['counter'] });
  await cloud.admin.post(`/v1/playlists/${playlists[3]}/deploy`, {
    targets: [{ type: 'device', id: deviceId }],
  });
  const { data } = await timelineOf(deviceId, '?from=2026-12-25T03:00:00Z&to=2026-12-26T12:00:00Z');
  expect(data).toMatchObject({
    device: { id: deviceId, name: 'Counter' },
    timezone: 'Europe/Berlin',
    from: '2026-12-25T03:00:00.000Z',
    to: '2026-12-26T12:00:00.000Z',
    next_from: null,
  });
  // The 25th is a Friday; the clock of Berlin is an hour ahead.
  expect(data.segments.map(({ start, end, playlist }: Segment) => [start, end, playlist?.name])).toEqual([
    ['2026-12-25T03:00:00.000Z', '2026-12-25T05:00:00.000Z', 'Base'],
    ['2026-12-25T05:00:00.000Z', '2026-12-25T09:30:00.000Z', 'Morning'],
    ['2026-12-25T09:30:00.000Z', '2026-12-25T21:00:00.000Z', 'Base'],
    ['2026-12-25T21:00:00.000Z', '2026-12-26T05:00:00.000Z', 'Night'],
    ['2026-12-26T05:00:00.000Z', '2026-12-26T09:30:00.000Z', 'Morning'],
    ['2026-12-26T09:30:00.000Z', '2026-12-26T12:00:00.000Z', 'Base'],
  ]);
  const [base, morning] = data.segments;
  expect(base).toMatchObject({
    source: 'deployment',
    playlist: { id: playlists[3], name: 'Base' },
    schedule: null,
    rule: null,
  });
  expect(base.reason).toContain('No rule is active: the deployed playlist “Base” is shown.');
  expect(morning).toMatchObject({
    source: 'schedule',
    schedule: { id: breakfast, name: 'Breakfast' },
    rule: { start_time: '06:00', end_time: '10:30', priority: 10 },
  });
  expect(morning.reason).toContain('A rule of the schedule “Breakfast” is active');
});

test('a timeline is of the next day, or of at most 31 days', async () => {
  const { deviceId } = await pairDevice(cloud);
  const { data } = await timelineOf(deviceId);
  expect(data.from).toBe(iso(cloud.clock.nowMs()));
  expect(Date.parse(data.to) - Date.parse(data.from)).toBe(DAY_MS);
  expect(data.segments).toMatchObject([{ start: data.from, end: data.to, source: 'none', playlist: null }]);
  expect((await timelineOf(deviceId, '?from=2026-12-01&to=2027-01-01')).status).toBe(200);
  for (const query of [
    '?from=2026-12-01&to=2027-01-02',
    '?from=2026-12-02&to=2026-12-01',
    '?from=2026-12-02&to=2026-12-02',
    '?from=1969-12-31',
    '?from=soon',
  ]) {
    expect((await timelineOf(deviceId, query)).error?.code, query).toBe('VALIDATION_ERROR');
  }
  expect((await timelineOf('dev_none')).error?.code).toBe('DEVICE_NOT_FOUND');
});

test('a timeline of very many segments is cut, and goes on where it was cut', async () => {
  const { deviceId } = await pairDevice(cloud);
  const rules = Array.from({ length: 250 }, (_, index) => ({
    playlist_id: playlists[index % 2],
    start_time: iso(index * 4 * 60_000).slice(11, 16),
    end_time: iso(index * 4 * 60_000 + 120_000).slice(11, 16),
    days: EVERY_DAY,
  }));
  await made('/v1/schedules', { name: 'Flicker', rules, targets: [{ type: 'device', id: deviceId }] });
  const to = '2026-12-06';
  const first = (await timelineOf(deviceId, `?from=2026-12-01&to=${to}`)).data;
  expect(first.segments).toHaveLength(MAX_SEGMENTS);
  expect(first.next_from).toBe(first.segments.at(-1).end);
  const parts = [first];
  while (parts.at(-1).next_from !== null) {
    parts.push((await timelineOf(deviceId, `?from=${parts.at(-1).next_from}&to=${to}`)).data);
  }
  const segments: Segment[] = parts.flatMap((part) => part.segments);
  expect(segments.slice(1).every(({ start }, index) => start === segments[index]!.end)).toBe(true);
  expect(segments.at(-1)?.end).toBe('2026-12-06T00:00:00.000Z');
  // Each window, and the time after it; the first begins with a window.
  expect(segments).toHaveLength(2 * 250 * 5);
});

test('a timeline is what active-schedule says at any instant', async () => {
  const { deviceId } = await pairDevice(cloud, { tags: ['counter', 'random'] });
  for (let seed = 1; seed <= 3; seed++) {
    const random = createSeededRandom(seed);
    const time = () => `${String(random.int(0, 23)).padStart(2, '0')}:${random.pick(['00', '15', '30'])}`;
    const schedule = await made('/v1/schedules', {
      name: `Random ${seed}`,
      rules: Array.from({ length: 6 }, () => ({
        playlist_id: random.pick(playlists),
        start_time: time(),
        end_time: time(),
        ...(random.chance(0.5)
          ? { days: random.some(EVERY_DAY, 0.4) }
          : { rrule: `FREQ=DAILY;INTERVAL=${random.int(1, 3)}` }),
        priority: random.int(0, 12),
      })),
      targets: [{ type: 'tag', value: random.pick(['counter', 'random']) }],
    });
    // Around the end of summer time.
    const fromMs = Date.parse('2026-10-20T00:00:00Z') + random.below(2 * DAY_MS);
    const { data } = await timelineOf(deviceId, `?from=${iso(fromMs)}&to=${iso(fromMs + 10 * DAY_MS)}`);
    for (const segment of random.some<Segment>(data.segments, 0.3)) {
      const [start, end] = [Date.parse(segment.start), Date.parse(segment.end)];
      for (const atMs of [start, start + random.below(end - start), end - 1]) {
        const active = (await cloud.admin.get(`/v1/devices/${deviceId}/active-schedule?at=${iso(atMs)}`))
          .data;
        const { source, playlist, schedule: shown, rule, reason } = active;
        expect(segment, `seed ${seed} at ${iso(atMs)}`).toMatchObject({
          source,
          playlist,
          schedule: shown,
          rule,
          reason,
        });
        const isCut = end === fromMs + 10 * DAY_MS;
        expect(isCut || active.until === segment.end, `seed ${seed} until ${segment.end}`).toBe(true);
      }
    }
    await cloud.admin.delete(`/v1/schedules/${schedule}`);
  }
});

test('a timeline knows exceptions, windows over several days and the target of all devices', async () => {
  const { deviceId } = await pairDevice(cloud, { name: 'Lonely' });
  const weekend = {
    playlist_id: playlists[2],
    start_time: '18:00',
    end_time: '23:00',
    end_day_offset: 2,
    days: ['FRI'],
    except_dates: ['2026-12-11'],
  };
  const schedule = await made('/v1/schedules', {
    name: 'Weekend',
    rules: [weekend],
    targets: [{ type: 'all' }],
  });
  const { data } = await timelineOf(deviceId, '?from=2026-12-03T23:00:00Z&to=2026-12-20T23:00:00Z');
  expect(data.segments.map(({ start, end, playlist }: Segment) => [start, end, playlist?.name])).toEqual([
    ['2026-12-03T23:00:00.000Z', '2026-12-04T17:00:00.000Z', undefined],
    ['2026-12-04T17:00:00.000Z', '2026-12-06T22:00:00.000Z', 'Night'],
    ['2026-12-06T22:00:00.000Z', '2026-12-18T17:00:00.000Z', undefined],
    ['2026-12-18T17:00:00.000Z', '2026-12-20T22:00:00.000Z', 'Night'],
    ['2026-12-20T22:00:00.000Z', '2026-12-20T23:00:00.000Z', undefined],
  ]);
  expect(data.segments[1].rule).toMatchObject({ end_day_offset: 2, except_dates: ['2026-12-11'] });
  const query = 'dry_run=true&from=2026-12-10&to=2026-12-15';
  const dry = await cloud.admin.patch(`/v1/schedules/${schedule}?${query}`, {
    rules: [{ ...weekend, except_dates: [] }],
  });
  const group = dry.data.dry_run.groups.find(({ devices }: { devices: { id: string }[] }) =>
    devices.some(({ id }) => id === deviceId),
  );
  expect(group.changes).toMatchObject([
    {
      start: '2026-12-11T17:00:00.000Z',
      end: '2026-12-13T22:00:00.000Z',
      before: { playlist: null },
      after: { playlist: { name: 'Night' } },
    },
  ]);
  await cloud.admin.delete(`/v1/schedules/${schedule}`);
});

test('timelines and dry runs read rules with local_time in the time zone of each store', async () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'];
  const screens: string[] = [];
  for (const timezone of zones) {
    const store = await made('/v1/stores', { name: timezone, timezone });
    screens.push((await pairDevice(cloud, { store_id: store, tags: ['local'] })).deviceId);
  }
  const body = {
    name: 'Local noon',
    rules: [
      {
        playlist_id: playlists[1],
        start_time: '12:00',
        end_time: '13:00',
        days: EVERY_DAY,
        local_time: true,
      },
    ],
    targets: [{ type: 'tag', value: 'local' }],
  };
  const span = 'from=2026-12-09&to=2026-12-10';
  const { groups } = (await cloud.admin.post(`/v1/schedules?dry_run=true&${span}`, body)).data.dry_run;
  await made('/v1/schedules', body);
  const starts = ['11:00', '17:00', '06:15'].map((time) => `2026-12-09T${time}:00.000Z`);
  for (const [index, id] of screens.entries()) {
    const { segments, ...told } = (await timelineOf(id, `?${span}`)).data;
    expect(told).toMatchObject({ timezone: 'Europe/Berlin', local_timezone: zones[index] });
    const shown = segments.filter(({ playlist }: Segment) => playlist?.name === 'Noon');
    expect(shown, zones[index]).toMatchObject([{ start: starts[index], rule: { local_time: true } }]);
    const group = groups.find(({ devices }: { devices: { id: string }[] }) =>
      devices.some((device) => device.id === id),
    );
    expect(group.changes, zones[index]).toMatchObject([{ start: starts[index] }]);
    const active = await cloud.admin.get(`/v1/devices/${id}/active-schedule?at=${starts[index]}`);
    expect(active.data.playlist, zones[index]).toEqual(shown[0].playlist);
  }
  const inNoStore = (await pairDevice(cloud, { tags: ['local'] })).deviceId;
  expect((await timelineOf(inNoStore, `?${span}`)).data.local_timezone).toBeNull();
  const moments = (await cloud.admin.get('/v1/timeline?tag=local')).data;
  const zoneOf = new Map<string, unknown>(
    moments.map((one: { device: { id: string }; timezone: string; local_timezone: string | null }) => [
      one.device.id,
      [one.timezone, one.local_timezone],
    ]),
  );
  expect([...screens, inNoStore].map((id) => zoneOf.get(id))).toEqual(
    [...zones, null].map((zone) => ['Europe/Berlin', zone]),
  );
});

test('what all screens of a region show at an instant is one request', async () => {
  const stores: string[] = [];
  for (const [name, region, city] of [
    ['Marienplatz', 'Bavaria', 'Munich'],
    ['Altstadt', 'bavaria', 'Nuremberg'],
    ['Alster', 'Hamburg', 'Hamburg'],
  ]) {
    stores.push(await made('/v1/stores', { name, region, city, country: 'DE' }));
  }
  await pairDevice(cloud, { name: 'Window', store_id: stores[0], tags: ['counter'] });
  await pairDevice(cloud, { name: 'Till', store_id: stores[1] });
  await pairDevice(cloud, { name: 'Harbour', store_id: stores[2], tags: ['counter'] });
  await made('/v1/schedules', {
    name: 'Christmas Eve',
    rules: [
      {
        playlist_id: playlists[1],
        start_time: '14:00',
        end_time: '20:00',
        days: EVERY_DAY,
        starts_on: '2026-12-24',
        ends_on: '2026-12-24',
        priority: 100,
      },
    ],
    targets: [{ type: 'store', id: stores[0] }],
  });
  // 18:00 in Berlin.
  const at = '2026-12-24T17:00:00.000Z';
  const ask = (query: string) => cloud.admin.get(`/v1/timeline?at=${at}&${query}`);
  const names = async (query: string) =>
    (await ask(query)).data.map(({ device }: { device: { name: string } }) => device.name);

  const { data, meta } = await ask('region=Bavaria');
  expect(meta).toEqual({ page: 1, limit: 20, total: 2 });
  expect(data).toMatchObject([
    {
      device: { name: 'Till' },
      store: { id: stores[1], name: 'Altstadt' },
      at,
      source: 'none',
      playlist: null,
      reason: 'No rule is active and no playlist is deployed: the idle screen is shown.',
    },
    {
      device: { name: 'Window' },
      store: { id: stores[0], name: 'Marienplatz' },
      source: 'schedule',
      playlist: { name: 'Noon' },
      schedule: { name: 'Christmas Eve' },
      until: '2026-12-24T19:00:00.000Z',
    },
  ]);
  for (const moment of data) {
    const path = `/v1/devices/${moment.device.id}/active-schedule?at=${at}`;
    const { source, playlist, schedule, rule, reason, until } = (await cloud.admin.get(path)).data;
    expect(moment).toMatchObject({ source, playlist, schedule, rule, reason, until });
  }
  expect(await names('region=BAVARIA&city=munich')).toEqual(['Window']);
  expect(await names('country=de&tag=counter')).toEqual(['Harbour', 'Window']);
  expect(await names(`store_id=${stores[2]}`)).toEqual(['Harbour']);
  expect(await names('search=till&status=offline')).toEqual(['Till']);
  expect(await names('region=Saxony')).toEqual([]);
  expect(await names('country=de&limit=1&page=3')).toEqual(['Window']);
  const listed = await cloud.admin.get('/v1/devices?region=bavaria');
  expect(listed.data.map(({ name }: { name: string }) => name)).toEqual(['Till', 'Window']);
  expect((await ask('region=x&floor=2')).error?.code).toBe('VALIDATION_ERROR');
});

test('without an instant it is what devices show now', async () => {
  const { data } = await cloud.admin.get('/v1/timeline?limit=1');
  expect(data[0].at).toBe(iso(cloud.clock.nowMs()));
});
