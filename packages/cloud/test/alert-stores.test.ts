import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { MINUTE_MS, setReported, watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const { get, faults, createRule, createStore, createDevices, touch, alertsOf, eventsOf, passUntil } = watched;

test('a store that is down is one alert, which screens join that follow; a store beside it has one of its own', async () => {
  const [store, other] = [await createStore('Berlin Mitte'), await createStore('Köln')];
  const down = await createDevices(store, 20);
  const late = await createDevices(store, 4);
  const [single = '', ...well] = await createDevices(other, 4);
  // Their last messages were spread over a minute.
  await watched.cloud.inDatabase((db) =>
    sql`update device_live set last_seen = last_seen - (device % 4) * 15000
      where device in (select number from devices where store_id = ${store})`.execute(db),
  );
  const rule = await createRule({ type: 'offline', minutes: 5 }, { filter: { search: 'dev_' } });
  await passUntil(async () => {
    await touch([...late, ...well]);
    expect(await alertsOf(rule)).toHaveLength(2);
  });
  const alerts = await alertsOf(rule);
  const ofStore = alerts.find((each: { subject: { id: string } }) => each.subject.id === store);
  expect(ofStore).toMatchObject({
    status: 'open',
    subject: { type: 'store', id: store, name: 'Berlin Mitte' },
    devices: 20,
  });
  expect(alerts).toContainEqual(
    expect.objectContaining({ subject: { type: 'device', id: single, name: single }, devices: 1 }),
  );
  await passUntil(async () => {
    await touch(well);
    expect(await get(`/v1/alerts/${ofStore.id}`)).toMatchObject({ devices: 24, devices_affected: 24 });
  });
  const devices = [];
  for (let cursor: string | null = 'first'; cursor !== null;) {
    const { data, meta } = await watched.cloud.admin.get(
      `/v1/alerts/${ofStore.id}/devices?limit=10&cursor=${cursor}`,
    );
    devices.push(...data.map((each: { device_id: string }) => each.device_id));
    cursor = meta.next_cursor;
  }
  expect(devices).toHaveLength(24);
  expect(new Set(devices)).toEqual(new Set([...down, ...late]));
  expect(new Set(devices.slice(0, 20))).toEqual(new Set(down));
  expect((await watched.cloud.admin.get(`/v1/alerts/${ofStore.id}/devices?limit=20&page=2`)).meta).toEqual({
    page: 2,
    limit: 20,
    total: 24,
  });

  // All but one are back: it is not over. Then that one is removed.
  const [last = '', ...back] = down;
  await passUntil(async () => {
    await touch([...back, ...late, ...well, single]);
    expect((await alertsOf(rule, '&status=resolved')).length).toBe(1);
  });
  expect(await get(`/v1/alerts/${ofStore.id}`)).toMatchObject({ status: 'open', devices_affected: 1 });
  await watched.cloud.admin.delete(`/v1/devices/${last}`);
  await passUntil(async () => {
    await touch([...back, ...late, ...well, single]);
    expect(await alertsOf(rule, '&status=open')).toEqual([]);
  });
  expect(await alertsOf(rule)).toHaveLength(2);
  expect(
    (await get(`/v1/alerts/${ofStore.id}/devices?limit=100`)).filter(
      (each: { device_name: null }) => each.device_name === null,
    ),
  ).toMatchObject([{ device_id: last }]);
  expect(await eventsOf(ofStore)).toMatchObject([{ type: 'alert.opened' }, { type: 'alert.resolved' }]);
});

/** As if the devices had reported the fault with their last heartbeat. */
const fail = (ids: readonly string[], code: string) =>
  watched.cloud.inDatabase((db) => setReported(db, ids, { faults: JSON.stringify(faults(code)['faults']) }));

test('a fault that the screens of a store report one after the other is one alert', async () => {
  const store = await createStore('One after the other');
  const screens = await createDevices(store, 16);
  const rule = await createRule(
    { type: 'fault', code: 'spreading', minutes: 0 },
    { filter: { store_id: store } },
  );
  let failed = 0;
  await passUntil(async () => {
    failed += 1;
    await touch(screens);
    await fail(screens.slice(0, failed), 'spreading');
    expect(failed).toBeGreaterThan(screens.length);
    expect(await alertsOf(rule)).toMatchObject([
      { subject: { type: 'store', id: store }, devices: screens.length },
    ]);
  });
});

test('a screen whose store is well has an alert of its own when the others have reported', async () => {
  const store = await createStore('Well but for one');
  const screens = await createDevices(store, 4);
  const rule = await createRule(
    { type: 'fault', code: 'alone', minutes: 0 },
    { filter: { store_id: store } },
  );
  await fail(screens.slice(0, 1), 'alone');
  const beganMs = watched.cloud.clock.nowMs();
  const alert = await passUntil(async () => {
    await touch(screens);
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found[0];
  });
  expect(alert.subject).toMatchObject({ type: 'device', id: screens[0] });
  const afterMs = Date.parse(alert.opened_at) - beganMs;
  expect(afterMs).toBeGreaterThanOrEqual(MINUTE_MS);
  expect(afterMs).toBeLessThan(3 * MINUTE_MS);
});

test('after an interruption the screens of a store go on with their minutes, and are told together', async () => {
  const { cloud } = watched;
  const store = await createStore('Interrupted');
  const screens = await createDevices(store, 4);
  const rule = await createRule(
    { type: 'fault', code: 'lasting', minutes: 6 },
    { filter: { store_id: store } },
  );
  await fail(screens, 'lasting');
  const beganMs = cloud.clock.nowMs();
  await passUntil(async () => {
    await touch(screens);
    expect(cloud.clock.nowMs() - beganMs).toBeGreaterThan(5 * MINUTE_MS);
  });
  await cloud.restart(10 * MINUTE_MS);
  const startedMs = cloud.clock.nowMs();
  let reported = 0;
  const alert = await passUntil(async () => {
    reported += 1;
    await touch(screens.slice(0, reported));
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found[0];
  });
  expect(alert.subject).toMatchObject({ type: 'store', id: store });
  expect(Date.parse(alert.opened_at) - startedMs).toBeLessThan(4 * MINUTE_MS);
});
