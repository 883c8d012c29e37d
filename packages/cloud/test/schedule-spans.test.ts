import { parseManifest } from '@placard/protocol';
import { compileSchedules, evaluateSchedules } from '@placard/schedule';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

let cloud: TestCloud;
let playlist: { id: string };
beforeAll(async () => {
  cloud = await startTestCloud();
  playlist = (await cloud.admin.post('/v1/playlists', { name: 'Sale' })).data;
  await cloud.admin.patch('/v1/organization', { timezone: 'Europe/Berlin' });
});
afterAll(() => cloud.close());

const rule = (more: Record<string, unknown> = {}) => ({
  playlist_id: playlist.id,
  start_time: '18:00',
  end_time: '23:00',
  days: ['FRI'],
  ...more,
});
const create = (body: Record<string, unknown> = {}) =>
  cloud.admin.post('/v1/schedules', { name: 'S', ...body });
const targetOf = (screen: PairedDevice) => ({ type: 'device', id: screen.deviceId });
const manifestOf = async (screen: PairedDevice) => (await screen.client.get('/v1/player/manifest')).data;
const active = async (screen: PairedDevice, at: string) =>
  (await cloud.admin.get(`/v1/devices/${screen.deviceId}/active-schedule?at=${encodeURIComponent(at)}`)).data;
/** What a player shows at an instant, by its manifest alone. */
async function onPlayer(screen: PairedDevice, at: string) {
  const manifest = parseManifest(await manifestOf(screen))!;
  expect(manifest.passed_over).toEqual([]);
  const { organization, local_timezone, timezones, schedules } = manifest;
  const compiled = compileSchedules({
    timezone: organization.timezone,
    local_timezone,
    zones: timezones?.zones,
    schedules,
  });
  const device = { matches: 'all', base_playlist_id: manifest.base_playlist_id } as const;
  const { rule: shown, until } = evaluateSchedules(compiled, device, Date.parse(at));
  return { rule: shown?.id ?? null, until: until === null ? null : new Date(until).toISOString() };
}
/** What the cloud says that a device shows; its player shows the same. */
const shownBy = async (screen: PairedDevice, at: string) => {
  const shown = await active(screen, at);
  const { rule: id, until } = await onPlayer(screen, at);
  expect([id, until]).toEqual([shown.rule?.id ?? null, shown.until]);
  return shown;
};
const storeIn = async (timezone: string | null): Promise<string> =>
  (await cloud.admin.post('/v1/stores', { name: 'Store', timezone })).data.id;
const removeSchedules = async () => {
  for (const { id } of (await cloud.admin.get('/v1/schedules?limit=100')).data) {
    await cloud.admin.delete(`/v1/schedules/${id}`);
  }
};

test('a rule over several days with exceptions is stored, read, changed and sent back', async () => {
  const screen = await pairDevice(cloud);
  const made = await create({
    rules: [rule({ end_day_offset: 2, except_dates: ['2026-12-25', '2026-12-25', '2027-01-01'] }), rule()],
    targets: [targetOf(screen)],
  });
  expect(made.status).toBe(201);
  expect(made.data.rules).toMatchObject([
    { end_day_offset: 2, except_dates: ['2026-12-25', '2027-01-01'], local_time: false },
    { end_day_offset: 0, except_dates: [], local_time: false },
  ]);
  const path = `/v1/schedules/${made.data.id}`;
  const { name, is_active, rules, targets } = (await cloud.admin.get(path)).data;
  expect(rules).toEqual(made.data.rules);
  const sentBack = await cloud.admin.patch(path, { name, is_active, rules, targets });
  expect(sentBack.data.rules).toEqual(rules);

  expect(await active(screen, '2026-11-22T12:00+01:00')).toMatchObject({
    rule: rules[0],
    until: '2026-11-22T22:00:00.000Z',
  });
  expect((await active(screen, '2026-12-26T12:00+01:00')).rule).toBeNull();
  const log = (await cloud.admin.get(`/v1/audit-log?limit=1`)).data;
  expect(JSON.stringify(log)).toContain('schedule');
  await cloud.admin.patch(path, { rules: [{ ...rules[0], except_dates: [] }] });
  expect((await active(screen, '2026-12-26T12:00+01:00')).rule).toMatchObject({ id: rules[0].id });
  const [entry] = (await cloud.admin.get(`/v1/audit-log?limit=1`)).data;
  expect(JSON.stringify(entry)).toContain('2026-12-25');
  await removeSchedules();
});

test.each<[Record<string, unknown>, string]>([
  [{ end_day_offset: 7 }, 'rules.0.end_day_offset'],
  [{ end_day_offset: 0.5 }, 'rules.0.end_day_offset'],
  [{ except_dates: ['2026-02-30'] }, 'rules.0.except_dates.0'],
  [{ except_dates: Array.from({ length: 367 }, () => '2026-12-25') }, 'rules.0.except_dates'],
  [{ local_time: 'yes' }, 'rules.0.local_time'],
  [{ days: null, rrule: 'RRULE:FREQ=DAILY\nEXDATE:20261232' }, 'rules.0.rrule'],
])('%j is rejected', async (more, path) => {
  const { status, error } = await create({ rules: [rule(more)] });
  expect([status, error?.details.map((each: { path: string }) => each.path)]).toEqual([400, [path]]);
});

test('EXDATE lines stay as they were written, and players get them as dates', async () => {
  const screen = await pairDevice(cloud);
  const rrule = 'DTSTART:20261120\nRRULE:FREQ=WEEKLY;BYDAY=FR\nEXDATE:20261127\nEXDATE:20261204T170000Z';
  const made = await create({
    rules: [rule({ days: null, rrule, except_dates: ['2026-12-25'] })],
    targets: [targetOf(screen)],
  });
  expect(made.data.rules).toMatchObject([{ rrule, except_dates: ['2026-12-25'] }]);
  expect(made.data.warnings).toEqual([
    { path: 'rules.0.rrule', message: expect.stringContaining('The times of EXDATE are not used') },
  ]);
  expect((await manifestOf(screen)).schedules[0].rules).toMatchObject([
    {
      rrule: 'DTSTART:20261120\nRRULE:FREQ=WEEKLY;BYDAY=FR',
      except_dates: ['2026-12-25', '2026-11-27', '2026-12-04T17:00:00.000Z'],
    },
  ]);
  const shown = await active(screen, '2026-11-20T20:00+01:00');
  expect(shown.rule).toEqual(made.data.rules[0]);
  for (const day of ['2026-11-27', '2026-12-04', '2026-12-25']) {
    expect((await active(screen, `${day}T20:00+01:00`)).rule, day).toBeNull();
  }
  expect((await active(screen, '2026-12-11T20:00+01:00')).rule).not.toBeNull();
  await removeSchedules();
});

test('a player of an older version gets no field that changes nothing', async () => {
  const screen = await pairDevice(cloud);
  await create({ rules: [rule()], targets: [targetOf(screen)] });
  const manifest = await manifestOf(screen);
  expect(Object.keys(manifest.schedules[0].rules[0]).toSorted()).toEqual(
    [
      'created_at',
      'days',
      'end_time',
      'ends_on',
      'id',
      'playlist_id',
      'priority',
      'rrule',
      'start_time',
      'starts_on',
      'updated_at',
    ].toSorted(),
  );
  expect(manifest).not.toHaveProperty('local_timezone');
  await removeSchedules();
});

test('the target all reaches every device, also one that is paired later, and every other target has precedence', async () => {
  const screen = await pairDevice(cloud);
  const all = await create({ rules: [rule()], targets: [{ type: 'all' }] });
  expect(all.data.targets).toEqual([{ type: 'all' }]);
  const later = await pairDevice(cloud, { store_id: await storeIn(null) });
  const friday = '2026-11-20T20:00+01:00';
  for (const each of [screen, later]) {
    expect((await manifestOf(each)).schedules).toMatchObject([{ targets: [{ type: 'all' }] }]);
    expect((await active(each, friday)).schedule.id).toBe(all.data.id);
  }
  const store = (await cloud.admin.get(`/v1/devices/${later.deviceId}`)).data.store_id;
  const narrow = await create({ rules: [rule()], targets: [{ type: 'store', id: store }] });
  expect((await active(later, friday)).schedule.id).toBe(narrow.data.id);
  await cloud.admin.patch(`/v1/schedules/${all.data.id}`, { rules: [rule()] });
  expect((await active(later, friday)).schedule.id, 'although it was changed later').toBe(narrow.data.id);
  expect((await onPlayer(later, friday)).rule).toBe(narrow.data.rules[0].id);
  expect((await create({ targets: [{ type: 'all', id: 'x' }] })).status).toBe(400);
  await removeSchedules();
});

test('a playlist is deployed to all devices', async () => {
  const screen = await pairDevice(cloud);
  const total = (await cloud.admin.get('/v1/devices?limit=1')).meta.total;
  const made = await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, {
    targets: [{ type: 'all' }, { type: 'all' }],
  });
  expect(made.data).toMatchObject({ targets: [{ type: 'all' }], device_count: total });
  const later = await pairDevice(cloud);
  for (const each of [screen, later]) {
    expect((await manifestOf(each)).base_playlist_id).toBe(playlist.id);
  }
  const detail = (await cloud.admin.get(`/v1/deployments/${made.data.id}`)).data;
  expect(detail).toMatchObject({ targets: [{ type: 'all' }], device_count: total + 1 });
});

test('rules with local_time are read in the zone of the store, on the cloud and on the player', async () => {
  const [tokyo, newYork, nowhere] = [
    await storeIn('Asia/Tokyo'),
    await storeIn('America/New_York'),
    await storeIn(null),
  ];
  const tags = ['local'];
  const inTokyo = await pairDevice(cloud, { tags, store_id: tokyo });
  const inNewYork = await pairDevice(cloud, { tags, store_id: newYork });
  const inNoZone = await pairDevice(cloud, { tags, store_id: nowhere });
  const made = await create({
    rules: [rule({ local_time: true })],
    targets: [{ type: 'tag', value: 'local' }],
  });
  expect(made.data.warnings).toEqual([
    {
      path: 'rules.0.local_time',
      message:
        '1 device that this schedule reaches is in no store with a time zone: there, rules with local_time are read ' +
        'in the time zone of the organization, Europe/Berlin.',
    },
  ]);
  expect(await shownBy(inTokyo, '2026-11-20T18:00+09:00')).toMatchObject({
    rule: { local_time: true },
    timezone: 'Europe/Berlin',
    local_timezone: 'Asia/Tokyo',
    until: '2026-11-20T14:00:00.000Z',
    warnings: [],
  });
  expect((await shownBy(inTokyo, '2026-11-20T18:00+01:00')).rule).toBeNull();
  expect((await shownBy(inNewYork, '2026-11-20T18:00-05:00')).rule).not.toBeNull();
  const told = await shownBy(inNoZone, '2026-11-20T18:00+01:00');
  expect(told).toMatchObject({ local_timezone: null, warnings: [{ code: 'STORE_HAS_NO_TIME_ZONE' }] });
  expect(told.rule).not.toBeNull();

  const manifest = await manifestOf(inTokyo);
  expect(manifest.local_timezone).toBe('Asia/Tokyo');
  expect(Object.keys(manifest.timezones.zones).toSorted()).toEqual(['Asia/Tokyo', 'Europe/Berlin']);
  expect(Object.keys((await manifestOf(inNoZone)).timezones.zones)).toEqual(['Europe/Berlin']);

  // A change of the store changes the manifests of its devices only.
  const revisions = async () =>
    Promise.all([inTokyo, inNewYork, inNoZone].map(async (each) => (await manifestOf(each)).revision));
  const before = await revisions();
  await cloud.admin.patch(`/v1/stores/${tokyo}`, { timezone: 'Asia/Kathmandu' });
  const after = await revisions();
  expect(after.map((each, index) => each === before[index])).toEqual([false, true, true]);
  expect((await shownBy(inTokyo, '2026-11-20T18:00+05:45')).rule).not.toBeNull();
  await cloud.admin.patch(`/v1/devices/${inTokyo.deviceId}`, { store_id: newYork });
  expect((await shownBy(inTokyo, '2026-11-20T18:00-05:00')).rule).not.toBeNull();
  await cloud.admin.delete(`/v1/stores/${newYork}`);
  expect((await shownBy(inTokyo, '2026-11-20T18:00+01:00')).rule).not.toBeNull();
  await removeSchedules();
});

test('cloud and player agree on any rules, in stores of several zones, around changes of their clocks', async () => {
  const random = createSeededRandom(17);
  const tags = ['any'];
  const screens = [
    await pairDevice(cloud, { tags, store_id: await storeIn('America/New_York') }),
    await pairDevice(cloud, { tags, store_id: await storeIn('Australia/Lord_Howe') }),
    await pairDevice(cloud, { tags }),
  ];
  const time = () => `${String(random.int(0, 23)).padStart(2, '0')}:${random.pick(['00', '30'])}`;
  const dates = () => [`2026-10-${random.int(20, 31)}`, `2026-11-0${random.int(1, 6)}`];
  const anyRule = () => ({
    playlist_id: playlist.id,
    start_time: time(),
    end_time: time(),
    ...(random.chance(0.5)
      ? { days: random.some(['MON', 'TUE', 'WED', 'FRI', 'SUN'], 0.4) }
      : { rrule: `FREQ=DAILY;INTERVAL=${random.int(1, 3)}${random.chance(0.5) ? '\nEXDATE:20261031' : ''}` }),
    priority: random.int(0, 3),
    end_day_offset: random.chance(0.4) ? random.int(1, 6) : 0,
    except_dates: random.chance(0.4) ? dates() : [],
    local_time: random.chance(0.5),
    starts_on: random.chance(0.5) ? '2026-10-20' : '2026-10-21',
  });
  let shown = 0;
  for (let round = 0; round < 3; round++) {
    const given = Array.from({ length: 6 }, anyRule);
    const targets = [random.chance(0.5) ? { type: 'all' } : { type: 'tag', value: 'any' }];
    const reply = await create({ rules: given, targets });
    expect(reply.status).toBe(201);
    for (let ask = 0; ask < 10; ask++) {
      // From 22 October to 8 November: summer time ends in Europe and America and begins on Lord Howe.
      const at = new Date(Date.UTC(2026, 9, 22) + random.int(0, 17 * 1440) * 60_000).toISOString();
      for (const screen of screens) {
        const { rule: active_rule, until } = await active(screen, at);
        expect(await onPlayer(screen, at), `round ${round} at ${at}`).toEqual({
          rule: active_rule?.id ?? null,
          until,
        });
        shown += active_rule ? 1 : 0;
      }
    }
  }
  expect(shown).toBeGreaterThan(30);
  await removeSchedules();
}, 60_000);

test('a rule that never wins is told, in its own schedule and below another one', async () => {
  const all = [{ type: 'all' }];
  const tag = [{ type: 'tag', value: 'x' }];
  const lunch = { start_time: '19:00', end_time: '20:00' };
  const own = await create({
    rules: [rule({ ...lunch, priority: 1 }), rule({ priority: 2 }), rule({ ...lunch, days: ['SAT'] })],
    targets: tag,
  });
  const [, upper] = own.data.rules;
  expect(own.data.warnings).toEqual([
    {
      path: 'rules.0',
      message: `This rule never wins: ${upper.id} of this schedule has precedence, and is active whenever this one is.`,
    },
  ]);
  const below = async (targets: unknown, more: Record<string, unknown> = {}) =>
    (await create({ rules: [rule({ ...lunch, priority: 1, ...more })], targets })).data.warnings;
  expect(await below(tag)).toEqual([
    { path: 'rules.0', message: expect.stringContaining('of the schedule “S” has precedence') },
  ]);
  // It has more devices than the rule above reaches.
  expect(await below(all)).toEqual([]);
  expect(await below([...tag, { type: 'tag', value: 'y' }])).toEqual([]);
  expect(await below(tag, { priority: 3 })).toEqual([]);
  // Of equal rules the one changed last wins: the new one.
  expect(await below(tag, { ...rule(), priority: 2 })).toEqual([]);
  await cloud.admin.post(`/v1/schedules/${own.data.id}/deactivate`);
  await removeSchedules();

  const everywhere = await create({ rules: [rule({ priority: 2 })], targets: all });
  expect(await below(tag)).toHaveLength(1);
  expect(await below(tag, { priority: 2 }), 'the narrower target wins').toEqual([]);
  await cloud.admin.post(`/v1/schedules/${everywhere.data.id}/deactivate`);
  const path = `/v1/schedules/${everywhere.data.id}`;
  expect(await below([{ type: 'tag', value: 'z' }])).toEqual([]);
  const changed = await cloud.admin.patch(path, { rules: [rule(), rule({ priority: 1 })] });
  expect(changed.data.warnings).toMatchObject([{ path: 'rules.0' }]);
  await removeSchedules();
});

test('a rule that ends before it begins is told', async () => {
  const { data } = await create({
    rules: [
      rule({ days: null, rrule: 'FREQ=DAILY;UNTIL=20200101' }),
      rule({ days: null, rrule: 'DTSTART:20300101\nRRULE:FREQ=DAILY', ends_on: '2029-12-31' }),
    ],
  });
  expect(data.warnings).toMatchObject([
    { path: 'rules.0.rrule', message: expect.stringContaining('UNTIL is before that') },
    { path: 'rules.1.ends_on', message: expect.stringContaining('ends_on is before that') },
  ]);
  await removeSchedules();
});

const many = (priority: number) =>
  Array.from({ length: 500 }, (_, index) =>
    rule({
      start_time: `${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`,
      end_time: '12:00',
      days: priority === 2 ? ['MON'] : ['MON', 'TUE'],
      priority,
    }),
  );

test('500 different rules below 500 others are compared within the time of one turn each', async () => {
  await create({ rules: many(2), targets: [{ type: 'all' }] });
  const before = process.threadCpuUsage();
  const made = await create({ rules: many(1), targets: [{ type: 'all' }] });
  const { user, system } = process.threadCpuUsage(before);
  expect(made.status).toBe(201);
  // Includes reading and writing 500 rules.
  expect((user + system) / 1000).toBeLessThan(1500);
  await removeSchedules();
});
