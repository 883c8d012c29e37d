import { MAX_ALERT_MUTES } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { pairDevice } from './support/paired-device.ts';
import { MINUTE_MS, watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const { alive, get, faults, createRule, createStore, alertsOf, alertsWith, passUntil, passMinutes } = watched;
const ALL_DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const isoIn = (minutes: number) => new Date(watched.cloud.clock.nowMs() + minutes * MINUTE_MS).toISOString();
/** The time of day in Tokyo, which is nine hours ahead all year, at an instant. */
const inTokyo = (iso: string) => new Date(Date.parse(iso) + 9 * 60 * MINUTE_MS).toISOString().slice(11, 16);
const mute = async (target: object, until: string) =>
  (await watched.cloud.admin.post('/v1/alert-mutes', { target, until, reason: 'New wiring' })).data;

test('alerts are opened in the opening hours of the store, after the minutes of the rule, and stay open after them', async () => {
  const { cloud } = watched;
  const tokyo = await createStore('Tokyo', { timezone: 'Asia/Tokyo' });
  const [early, late, elsewhere] = [
    await pairDevice(cloud, { store_id: tokyo }),
    await pairDevice(cloud, { store_id: tokyo }),
    await pairDevice(cloud),
  ];
  const opens = isoIn(15).replace(/:\d\d\.\d{3}Z$/, ':00.000Z');
  const closes = new Date(Date.parse(opens) + 20 * MINUTE_MS).toISOString();
  const opening_hours = [{ days: ALL_DAYS, start_time: inTokyo(opens), end_time: inTokyo(closes) }];
  const rule = await createRule({ type: 'fault', code: 'in.hours', minutes: 5 }, { opening_hours });
  expect(rule.opening_hours).toEqual(opening_hours);
  alive.set(early, faults('in.hours')).set(elsewhere, faults('in.hours')).set(late, {});
  const [alert] = await passUntil(async () => {
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found;
  });
  expect(alert.subject.id).toBe(early.deviceId);
  const openedMs = Date.parse(alert.opened_at) - Date.parse(opens);
  expect(openedMs, 'the minutes begin when the hours begin').toBeGreaterThanOrEqual(5 * MINUTE_MS);
  expect(openedMs).toBeLessThan(7 * MINUTE_MS);

  await passUntil(async () => expect(cloud.clock.nowMs()).toBeGreaterThan(Date.parse(closes)));
  alive.set(late, faults('in.hours'));
  await passMinutes(10);
  expect(await alertsOf(rule)).toEqual([alert]);
  alive.set(early, {});
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
  const always = await cloud.admin.patch(`/v1/alert-rules/${rule.id}`, { opening_hours: null });
  expect(always.data.opening_hours).toBe(null);
  await passUntil(async () => expect(await alertsWith(rule, elsewhere)).toHaveLength(1));
});

test('minutes that are longer than one span of opening hours are added up over several', async () => {
  const { cloud } = watched;
  const tokyo = await createStore('Tokyo', { timezone: 'Asia/Tokyo' });
  const screen = await pairDevice(cloud, { store_id: tokyo });
  const opens = isoIn(2).replace(/:\d\d\.\d{3}Z$/, ':00.000Z');
  const after = (minutes: number) => new Date(Date.parse(opens) + minutes * MINUTE_MS).toISOString();
  // Four minutes each time, with a break of six.
  const opening_hours = [0, 10, 20].map((minutes) => ({
    days: ALL_DAYS,
    start_time: inTokyo(after(minutes)),
    end_time: inTokyo(after(minutes + 4)),
  }));
  const rule = await createRule({ type: 'fault', code: 'in.spans', minutes: 9 }, { opening_hours });
  alive.set(screen, faults('in.spans'));
  const [alert] = await passUntil(async () => {
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found;
  });
  const openedMs = Date.parse(alert.opened_at) - Date.parse(opens);
  expect(openedMs).toBeGreaterThanOrEqual(21 * MINUTE_MS);
  expect(openedMs).toBeLessThan(23 * MINUTE_MS);
});

test('a muted device, store or cloud has no new alert; what is still wrong after it has, at once', async () => {
  const { cloud } = watched;
  const store = await createStore('Muted');
  const [inStore, alone, other] = [
    await pairDevice(cloud, { store_id: store }),
    await pairDevice(cloud),
    await pairDevice(cloud),
  ];
  for (const screen of [inStore, alone, other]) {
    alive.set(screen, faults('muted'));
  }
  const all = await mute({ type: 'all' }, isoIn(60));
  expect(all).toEqual({
    id: expect.stringMatching(/^amute_/),
    target: { type: 'all' },
    until: expect.any(String),
    reason: 'New wiring',
    created_at: expect.any(String),
  });
  const ofStore = await mute({ type: 'store', id: store }, isoIn(20));
  const ofDevice = await mute({ type: 'device', id: alone.deviceId }, isoIn(60));
  expect(await get('/v1/alert-mutes')).toEqual([ofDevice, ofStore, all]);
  const rule = await createRule({ type: 'fault', code: 'muted', minutes: 1 });
  await passMinutes(5);
  expect(await alertsOf(rule)).toEqual([]);

  expect((await cloud.admin.delete(`/v1/alert-mutes/${all.id}`)).data).toEqual({ id: all.id, deleted: true });
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(1));
  const [open] = await alertsOf(rule);
  expect(open.subject.id).toBe(other.deviceId);
  // Muted while it is open: it is over all the same.
  await mute({ type: 'device', id: other.deviceId }, isoIn(60));
  alive.set(other, {});
  await passUntil(async () => expect(await alertsWith(rule, other)).toMatchObject([{ status: 'resolved' }]));

  const [later] = await passUntil(async () => {
    const found = await alertsWith(rule, inStore);
    expect(found).toHaveLength(1);
    return found;
  });
  const afterMs = Date.parse(later.opened_at) - Date.parse(ofStore.until);
  expect(afterMs).toBeGreaterThanOrEqual(0);
  expect(afterMs, 'its minute has long passed').toBeLessThan(MINUTE_MS);
  expect(await alertsWith(rule, alone)).toEqual([]);
  expect((await get('/v1/alert-mutes')).map(({ id }: { id: string }) => id)).not.toContain(ofStore.id);
  expect((await cloud.admin.delete(`/v1/alert-mutes/${ofStore.id}`)).error?.code).toBe(
    'ALERT_MUTE_NOT_FOUND',
  );
  const log = await get(`/v1/audit-log?resource_id=${all.id}`);
  expect(log.map((each: { action: string }) => each.action)).toEqual([
    'alert_mute.deleted',
    'alert_mute.created',
  ]);
});

test('a store of which the mute ends while the cloud is down is one alert after it', async () => {
  const { cloud } = watched;
  const store = await createStore('Muted over a restart');
  const screens = [];
  for (let n = 0; n < 4; n++) {
    screens.push(await pairDevice(cloud, { store_id: store }));
    alive.set(screens[n]!, faults('muted.restart'));
  }
  await mute({ type: 'store', id: store }, isoIn(15));
  const rule = await createRule({ type: 'fault', code: 'muted.restart', minutes: 0 });
  await passMinutes(8);
  expect(await alertsOf(rule)).toEqual([]);
  alive.clear();
  await cloud.restart(20 * MINUTE_MS);
  // They report one after the other.
  for (const reporting of [1, 2, 4]) {
    for (const screen of screens.slice(0, reporting)) {
      alive.set(screen, faults('muted.restart'));
    }
    await passUntil(async () => {});
  }
  await passMinutes(3);
  expect(await alertsOf(rule)).toMatchObject([{ subject: { type: 'store', id: store }, devices: 4 }]);
});

test('a mute names what exists and a time that is not too far ahead, and there are not too many', async () => {
  const { admin } = watched.cloud;
  const refused = async (target: object, until: string) =>
    (await admin.post('/v1/alert-mutes', { target, until })).error;
  expect((await refused({ type: 'device', id: 'dev_none' }, isoIn(5)))?.code).toBe('DEVICE_NOT_FOUND');
  expect((await refused({ type: 'store', id: 'store_none' }, isoIn(5)))?.code).toBe('STORE_NOT_FOUND');
  expect((await refused({ type: 'tag', value: 'a' }, isoIn(5)))?.code).toBe('VALIDATION_ERROR');
  for (const until of [isoIn(-1), isoIn(367 * 24 * 60)]) {
    expect((await refused({ type: 'all' }, until))?.details).toMatchObject([{ path: 'until' }]);
  }
  while ((await get('/v1/alert-mutes')).length < MAX_ALERT_MUTES) {
    await mute({ type: 'all' }, isoIn(60 * 24));
  }
  const { status, error } = await admin.post('/v1/alert-mutes', { target: { type: 'all' }, until: isoIn(5) });
  expect([status, error?.details]).toEqual([409, { reason: 'too_many_alert_mutes', limit: MAX_ALERT_MUTES }]);
});
