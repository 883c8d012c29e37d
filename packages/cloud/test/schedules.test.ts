import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

let cloud: TestCloud;
let playlist: { id: string; name: string };
let other: { id: string; name: string };
beforeAll(async () => {
  cloud = await startTestCloud();
  const asset = (await cloud.admin.upload(await png(1), 'a.png')).data;
  const make = async (name: string) =>
    (await cloud.admin.post('/v1/playlists', { name, items: [{ content_id: asset.id }] })).data;
  playlist = await make('Breakfast');
  other = await make('Lunch');
});
afterAll(() => cloud.close());

const rule = (more: Record<string, unknown> = {}) => ({
  playlist_id: playlist.id,
  start_time: '00:00',
  end_time: '24:00',
  days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'],
  ...more,
});
const rules = (count: number) => Array.from({ length: count }, () => rule());
const setPositions = (count: number) => Array.from({ length: count }, (_, index) => 1 + index * 8).join();
/** A rule with the worst-case cost for the schedule engine. */
const worst = (index: number, count = 31) =>
  rule({
    days: null,
    start_time: '09:00',
    end_time: '09:01',
    starts_on: '1970-01-01',
    rrule: `FREQ=YEARLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR;COUNT=${2000 + index};BYSETPOS=${setPositions(count)}`,
  });
const create = (body: Record<string, unknown> = {}) =>
  cloud.admin.post('/v1/schedules', { name: 'S', ...body });
const targetOf = (screen: PairedDevice) => ({ type: 'device', id: screen.deviceId });
const active = async (screen: PairedDevice, at?: string) =>
  (await cloud.admin.get(`/v1/devices/${screen.deviceId}/active-schedule${at ? `?at=${at}` : ''}`)).data;
const manifestOf = async (screen: PairedDevice) => (await screen.client.get('/v1/player/manifest')).data;

test('a schedule is created, read and listed', async () => {
  const screen = await pairDevice(cloud);
  const made = await create({
    is_active: false,
    rules: [rule({ priority: 7 })],
    targets: [targetOf(screen)],
  });
  expect(made.status).toBe(201);
  const { warnings, ...shown } = made.data;
  expect(warnings).toEqual([]);
  expect(shown).toMatchObject({
    id: expect.stringMatching(/^sch_/),
    name: 'S',
    is_active: false,
    rule_count: 1,
    targets: [targetOf(screen)],
    rules: [
      {
        id: expect.stringMatching(/^rule_/),
        playlist_id: playlist.id,
        start_time: '00:00',
        end_time: '24:00',
        days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'],
        rrule: null,
        priority: 7,
        starts_on: null,
        ends_on: null,
      },
    ],
  });
  expect((await cloud.admin.get(`/v1/schedules/${shown.id}`)).data).toEqual(shown);
  const { rules: _, ...summary } = shown;
  expect((await cloud.admin.get('/v1/schedules?limit=1')).data).toEqual([summary]);
  const listed = async (query: string) =>
    (await cloud.admin.get(`/v1/schedules?limit=100&${query}`)).data.map((each: { id: string }) => each.id);
  await cloud.admin.patch(`/v1/schedules/${shown.id}`, { name: 'Winter menu' });
  expect(await listed('is_active=false&search=winter')).toEqual([shown.id]);
  expect(await listed('is_active=true&search=winter')).toEqual([]);
  expect(await listed('search=summer')).toEqual([]);
  expect((await cloud.admin.get('/v1/schedules?is_active=1')).error?.details).toMatchObject([
    { path: 'is_active' },
  ]);
});

const pathsOf = async (more: Record<string, unknown>) =>
  (await create({ rules: [rule(more)] })).error?.details.map(({ path }: { path: string }) => path);

test('invalid rules are rejected with the path of the wrong field', async () => {
  expect(await pathsOf({ days: undefined })).toEqual(['rules.0.days']);
  expect(await pathsOf({ rrule: 'FREQ=DAILY' })).toEqual(['rules.0.rrule']);
  expect(await pathsOf({ start_time: '24:00' })).toEqual(['rules.0.start_time']);
  expect(await pathsOf({ end_time: '24:01' })).toEqual(['rules.0.end_time']);
  expect(await pathsOf({ days: [] })).toEqual(['rules.0.days']);
  expect(await pathsOf({ priority: 1001 })).toEqual(['rules.0.priority']);
  expect(await pathsOf({ starts_on: '2026-02-30' })).toEqual(['rules.0.starts_on']);
  expect(await pathsOf({ starts_on: '2026-03-02', ends_on: '2026-03-01' })).toEqual(['rules.0.ends_on']);
  for (const rrule of ['FREQ=HOURLY', 'FREQ=DAILY;BYHOUR=3', 'nonsense']) {
    expect(await pathsOf({ days: undefined, rrule }), rrule).toEqual(['rules.0.rrule']);
  }
});

test('all problems of the rules are reported at once', async () => {
  const response = await create({
    name: ' ',
    rules: [
      rule({ start_time: '9', days: undefined }),
      rule({ days: undefined, rrule: 'FREQ=HOURLY' }),
      rule({ rrule: 'FREQ=DAILY', color: 'red' }),
      rule({ starts_on: '2026-03-02', ends_on: '2026-03-01', priority: -1 }),
      'no rule',
      { rrule: 7 },
    ],
  });
  const paths = response.error?.details.map(({ path }: { path: string }) => path);
  expect(new Set(paths)).toEqual(
    new Set([
      'name',
      'rules.0.start_time',
      'rules.0.days',
      'rules.1.rrule',
      'rules.2.color',
      'rules.2.rrule',
      'rules.3.priority',
      'rules.3.ends_on',
      'rules.4',
      'rules.5.playlist_id',
      'rules.5.start_time',
      'rules.5.end_time',
      'rules.5.rrule',
    ]),
  );
  expect(paths, 'each once').toHaveLength(13);
});

test('a rule that can never occur is accepted with a warning', async () => {
  const made = await create({
    rules: [rule({ days: undefined, rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' })],
  });
  expect(made.status).toBe(201);
  expect(made.data.warnings).toEqual([expect.objectContaining({ path: 'rules.0.rrule' })]);
});

test('referenced playlists, devices and stores must exist, tags need not', async () => {
  expect((await create({ rules: [rule({ playlist_id: 'pl_none' })] })).error?.code).toBe(
    'PLAYLIST_NOT_FOUND',
  );
  expect((await create({ targets: [{ type: 'device', id: 'dev_none' }] })).error?.code).toBe(
    'DEVICE_NOT_FOUND',
  );
  expect((await create({ targets: [{ type: 'store', id: 'store_none' }] })).error?.code).toBe(
    'STORE_NOT_FOUND',
  );
  expect((await create({ targets: [{ type: 'tag', value: 'nobody' }] })).status).toBe(201);
  expect((await create({ targets: [{ type: 'tag', id: 'x' }] })).status).toBe(400);
});

test('activate and deactivate change is_active and the manifest', async () => {
  const screen = await pairDevice(cloud);
  const { id } = (await create({ is_active: false, rules: [rule()], targets: [targetOf(screen)] })).data;
  expect((await manifestOf(screen)).schedules).toEqual([]);
  const on = await cloud.admin.post(`/v1/schedules/${id}/activate`);
  expect([on.status, on.data.is_active]).toEqual([200, true]);
  expect((await manifestOf(screen)).schedules).toEqual([
    expect.objectContaining({ id, targets: [targetOf(screen)] }),
  ]);
  expect((await active(screen)).source).toBe('schedule');
  expect((await cloud.admin.post(`/v1/schedules/${id}/activate`)).data.is_active).toBe(true);
  expect((await cloud.admin.post(`/v1/schedules/${id}/deactivate`)).data.is_active).toBe(false);
  expect((await manifestOf(screen)).schedules).toEqual([]);
  expect((await cloud.admin.post('/v1/schedules/sch_none/activate')).error?.code).toBe('SCHEDULE_NOT_FOUND');
});

test('a manifest lists only the targets that include its device', async () => {
  const [one, two] = [await pairDevice(cloud, { tags: ['x'] }), await pairDevice(cloud)];
  await create({ rules: [rule()], targets: [targetOf(one), targetOf(two), { type: 'tag', value: 'x' }] });
  expect((await manifestOf(one)).schedules.at(-1).targets).toEqual([
    targetOf(one),
    { type: 'tag', value: 'x' },
  ]);
  expect((await manifestOf(two)).schedules.at(-1).targets).toEqual([targetOf(two)]);
});

test('PATCH replaces rules and targets as a whole, and rules sent with an id keep it', async () => {
  const made = (await create({ rules: [rule(), rule({ playlist_id: other.id })] })).data;
  const path = `/v1/schedules/${made.id}`;
  const [first, second] = made.rules;
  const swapped = (await cloud.admin.patch(path, { rules: [second, { ...first, priority: 5 }, rule()] }))
    .data;
  expect(swapped.rules.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([second.id, first.id]);
  expect(swapped.rules[2].id).not.toBe(first.id);
  expect((await cloud.admin.patch(path, { name: 'N' })).data).toMatchObject({ name: 'N', rule_count: 3 });
  expect((await cloud.admin.patch(path, { rules: [], targets: [] })).data).toMatchObject({
    rules: [],
    targets: [],
  });
  expect((await cloud.admin.patch(path, { is_active: false })).data.is_active).toBe(false);
  expect((await cloud.admin.patch('/v1/schedules/sch_none', {})).error?.code).toBe('SCHEDULE_NOT_FOUND');
});

test('the winner is the higher priority, then the narrower target, then the rule changed last', async () => {
  const screen = await pairDevice(cloud, { tags: ['rank'] });
  const tag = [{ type: 'tag', value: 'rank' }];
  const wide = (await create({ rules: [rule({ priority: 1 })], targets: tag })).data;
  const narrow = (await create({ rules: [rule({ priority: 1 })], targets: [targetOf(screen)] })).data;
  expect((await active(screen)).schedule.id).toBe(narrow.id);
  const high = (await create({ rules: [rule({ priority: 2 })], targets: tag })).data;
  expect((await active(screen)).schedule.id).toBe(high.id);
  await cloud.admin.delete(`/v1/schedules/${high.id}`);
  await cloud.admin.delete(`/v1/schedules/${narrow.id}`);
  const newer = (await create({ rules: [rule({ priority: 1 })], targets: tag })).data;
  expect((await active(screen)).schedule.id).toBe(newer.id);
  await cloud.admin.patch(`/v1/schedules/${wide.id}`, { rules: wide.rules });
  expect((await active(screen)).schedule.id, 'sending it unchanged is not a change').toBe(newer.id);
  await cloud.admin.patch(`/v1/schedules/${wide.id}`, { rules: [{ ...wide.rules[0], end_time: '23:59' }] });
  expect((await active(screen)).schedule.id).toBe(wide.id);
});

test('active-schedule explains what a device shows, in the time zone of the organization', async () => {
  await cloud.admin.patch('/v1/organization', { timezone: 'America/New_York' });
  const screen = await pairDevice(cloud);
  expect(await active(screen)).toMatchObject({ source: 'none', playlist: null, schedule: null, rule: null });
  await cloud.admin.post(`/v1/playlists/${other.id}/deploy`, { targets: [targetOf(screen)] });
  expect(await active(screen)).toMatchObject({
    source: 'deployment',
    playlist: { id: other.id, name: 'Lunch' },
  });
  const made = (
    await create({
      rules: [rule({ start_time: '09:00', end_time: '17:00', days: ['FRI'] })],
      targets: [targetOf(screen)],
    })
  ).data;
  const during = await active(screen, '2026-11-20T14:00:00Z');
  expect(during).toEqual({
    at: '2026-11-20T14:00:00.000Z',
    timezone: 'America/New_York',
    local_timezone: null,
    source: 'schedule',
    schedule: { id: made.id, name: 'S' },
    rule: made.rules[0],
    playlist: { id: playlist.id, name: 'Breakfast' },
    until: '2026-11-20T22:00:00.000Z',
    reason: expect.stringContaining('“Breakfast”'),
    candidates: expect.arrayContaining([
      {
        schedule_id: made.id,
        schedule_name: 'S',
        rule_id: made.rules[0].id,
        playlist: { id: playlist.id, name: 'Breakfast' },
        priority: 0,
        matches: true,
        wins: true,
        reason: expect.any(String),
      },
    ]),
    candidates_meta: { page: 1, limit: 20, total: during.candidates.length },
    warnings: [],
  });
  const before = await active(screen, '2026-11-20T13:59:59Z');
  expect(before).toMatchObject({ source: 'deployment', until: '2026-11-20T14:00:00.000Z' });
  expect(before.candidates).toContainEqual(
    expect.objectContaining({ schedule_id: made.id, matches: false, wins: false }),
  );
  const path = `/v1/devices/${screen.deviceId}/active-schedule`;
  for (const at of [
    'tomorrow',
    '2026-02-30',
    '2026-06-31T08:00:00Z',
    '1969-12-31',
    '2201-01-01',
    '9999-12-31T00:00:00Z',
  ]) {
    expect((await cloud.admin.get(`${path}?at=${at}`)).error?.details, at).toMatchObject([{ path: 'at' }]);
  }
  expect((await active(screen, '2200-12-31T23:59:59Z')).at).toBe('2200-12-31T23:59:59.000Z');
  expect((await cloud.admin.get('/v1/devices/dev_none/active-schedule')).error?.code).toBe(
    'DEVICE_NOT_FOUND',
  );
});

test('endless rules are rejected, and the most expensive accepted rules do not block the cloud', async () => {
  for (const [field, wrong] of [
    ['rrule', worst(0, 46)],
    ['rrule', { ...worst(0), rrule: 'DTSTART:00010101\nFREQ=YEARLY;COUNT=480000', starts_on: null }],
    ['starts_on', { ...worst(0), starts_on: '2201-01-01' }],
  ] as const) {
    expect((await create({ rules: [wrong] })).error?.details).toMatchObject([{ path: `rules.0.${field}` }]);
  }

  const screen = await pairDevice(cloud);
  const given = Array.from({ length: 500 }, (_, index) => worst(index));
  const made = await create({ rules: given, targets: [targetOf(screen)] });
  expect(made.status).toBe(201);
  const before = process.threadCpuUsage();
  expect((await active(screen, '2026-11-20T08:00:00Z')).until).not.toBeNull();
  const { user, system } = process.threadCpuUsage(before);
  // Includes reading and writing 500 rules; the tests of the engine itself limit it to 100 ms.
  expect((user + system) / 1000).toBeLessThan(500);
  await cloud.admin.delete(`/v1/schedules/${made.data.id}`);
});

test('an organization has 5,000 rules and no more', async () => {
  const before = (await cloud.admin.get('/v1/schedules?limit=100')).data;
  const used = before.reduce((sum: number, each: { rule_count: number }) => sum + each.rule_count, 0);
  const made: string[] = [];
  for (let left = 5000 - used; left > 0; left -= 500) {
    made.push((await create({ is_active: false, rules: rules(Math.min(500, left)) })).data.id);
  }
  const refused = await create({ is_active: false, rules: rules(1) });
  expect(refused.status).toBe(400);
  expect(refused.error?.details).toEqual([
    {
      path: 'rules',
      message: 'would make 5001 rules in the organization; the limit is 5000. Remove some first',
    },
  ]);
  const fewer = await cloud.admin.patch(`/v1/schedules/${made[0]}`, { rules: rules(499) });
  expect(fewer.status).toBe(200);
  expect((await create({ is_active: false, rules: rules(1) })).status).toBe(201);
  for (const id of made) {
    await cloud.admin.delete(`/v1/schedules/${id}`);
  }
});

test('active-schedule reflects every change at once', async () => {
  const screen = await pairDevice(cloud);
  const at = '2026-11-20T14:00:00Z';
  expect((await active(screen, at)).source).toBe('none');
  const { id } = (await create({ rules: [rule()], targets: [targetOf(screen)] })).data;
  expect((await active(screen, at)).schedule).toMatchObject({ id });
  expect((await active(screen, at)).schedule).toMatchObject({ id });
  await cloud.admin.post(`/v1/schedules/${id}/deactivate`);
  expect((await active(screen, at)).source).toBe('none');
  await cloud.admin.post(`/v1/schedules/${id}/activate`);
  await cloud.admin.patch(`/v1/schedules/${id}`, { name: 'Renamed' });
  expect((await active(screen, at)).schedule).toEqual({ id, name: 'Renamed' });
});

test('a change of the time zone changes every manifest', async () => {
  const screen = await pairDevice(cloud);
  const before = await manifestOf(screen);
  await cloud.admin.patch('/v1/organization', { timezone: 'Asia/Tokyo' });
  const after = await manifestOf(screen);
  expect(after.organization.timezone).toBe('Asia/Tokyo');
  expect(after.revision).not.toBe(before.revision);
});

test('a deleted schedule is gone from lists and manifests', async () => {
  const screen = await pairDevice(cloud);
  const { id } = (await create({ rules: [rule()], targets: [targetOf(screen)] })).data;
  expect((await manifestOf(screen)).schedules).toHaveLength(1);
  expect((await cloud.admin.delete(`/v1/schedules/${id}`)).data).toEqual({ id, deleted: true });
  expect((await manifestOf(screen)).schedules).toEqual([]);
  expect((await cloud.admin.get(`/v1/schedules/${id}`)).error?.code).toBe('SCHEDULE_NOT_FOUND');
  expect((await cloud.admin.delete(`/v1/schedules/${id}`)).error?.code).toBe('SCHEDULE_NOT_FOUND');
});

const thousandTags = (n: number) =>
  Array.from({ length: 1000 }, (_, t) => ({ type: 'tag', value: `${n} ${t} ${'🎄'.repeat(80)}` }));

test('5,000 rules with 10,000 targets are explained in pages, and more targets are rejected', async () => {
  for (const each of (await cloud.admin.get('/v1/schedules?limit=100')).data) {
    await cloud.admin.delete(`/v1/schedules/${each.id}`);
  }
  const screen = await pairDevice(cloud, { tags: Array.from({ length: 20 }, (_, n) => `own ${n}`) });
  const made: string[] = [];
  for (let n = 0; n < 10; n++) {
    const reply = await create({ is_active: n % 2 === 0, rules: rules(500), targets: thousandTags(n) });
    expect(reply.status).toBe(201);
    made.push(reply.data.id);
  }
  const before = process.threadCpuUsage();
  const answer = (await cloud.admin.get(`/v1/devices/${screen.deviceId}/active-schedule?limit=100`)).data;
  const { user, system } = process.threadCpuUsage(before);
  expect(answer.candidates).toHaveLength(100);
  expect(answer.candidates_meta.total).toBe(5000);
  expect(answer.candidates[0].reason).toMatch(/ and 990 more\.$/);
  // Includes reading and compiling; building every reason would take seconds.
  expect((user + system) / 1000).toBeLessThan(500);

  const refused = await create({ rules: [], targets: [{ type: 'tag', value: 'one more' }] });
  expect(refused.error?.details).toEqual([
    {
      path: 'targets',
      message: 'would make 10001 schedule targets in the organization; the limit is 10000. Remove some first',
    },
  ]);
  for (const id of made) {
    await cloud.admin.delete(`/v1/schedules/${id}`);
  }
});
