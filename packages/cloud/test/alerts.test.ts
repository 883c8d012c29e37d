import { MAX_ALERT_RULES } from '@placard/protocol/api';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { insertDevice } from './support/insert-device.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

// Each minute of the clock takes some turns of the jobs.
vi.setConfig({ testTimeout: 180_000 });

const MINUTE_MS = 60_000;

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const get = async (path: string) => (await cloud.admin.get(path)).data;
const createRule = async (condition: object, fields: object = {}) =>
  (await cloud.admin.post('/v1/alert-rules', { name: 'A rule', condition, ...fields })).data;
const createStore = async (name: string): Promise<string> =>
  (await cloud.admin.post('/v1/stores', { name })).data.id;
const report = (screen: PairedDevice, state: Record<string, unknown> = {}) =>
  screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState(state) });
const alertsOf = (rule: { id: string }, query = '') => get(`/v1/alerts?rule_id=${rule.id}&limit=100${query}`);
const alertsWith = (rule: { id: string }, { deviceId }: PairedDevice) =>
  alertsOf(rule, `&device_id=${deviceId}`);
/** The revision that the device should have. */
const targetOf = async ({ deviceId }: PairedDevice) =>
  (await get(`/v1/devices/${deviceId}`)).configuration.manifest_revision;
const eventsOf = (alert: { id: string }) => get(`/v1/events?resource=${alert.id}&limit=100`);

/** What devices report again and again while time passes. */
const alive = new Map<PairedDevice, Record<string, unknown>>();
/** Lets time pass, during which the devices that are alive report, until the condition holds. */
const passUntil = <T>(condition: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    cloud.clock.advance(15_000);
    for (const [screen, state] of alive) {
      await report(screen, state);
    }
    return condition();
  }, 120_000);

beforeEach(async () => {
  alive.clear();
  for (const { id } of await get('/v1/alert-rules?limit=100')) {
    await cloud.admin.delete(`/v1/alert-rules/${id}`);
  }
});

/** Devices of a store as if they had just reported. */
async function createDevices(storeId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `dev_${crypto.randomUUID().replaceAll('-', '').slice(6)}`);
  await cloud.inDatabase(async (db) => {
    for (const id of ids) {
      await insertDevice(db, id, { store_id: storeId, created_at: cloud.clock.nowMs() });
    }
  });
  await touch(ids);
  return ids;
}

/** As if the devices had just reported. */
const touch = (ids: readonly string[]) =>
  cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      const nowMs = cloud.clock.nowMs();
      await trx
        .updateTable('devices')
        .set({ status: 'online', told_status: 'online' })
        .where('id', 'in', ids)
        .execute();
      await sql`update device_live set online = 1, last_seen = ${nowMs}, last_heartbeat = ${nowMs}
        where device in (select number from devices where id in (${sql.join(ids)}))`.execute(trx);
    }),
  );

test('a rule can be created, read, changed and deleted, and what it names must exist', async () => {
  const store = await createStore('Ulm');
  const condition = { type: 'fault', code: 'disk.full', minutes: 0 };
  const rule = await createRule(condition, { filter: { store_id: store, tag: 'window' } });
  expect(rule).toMatchObject({
    id: expect.stringMatching(/^arule_/),
    name: 'A rule',
    condition,
    filter: { store_id: store, tag: 'window' },
    is_active: true,
  });
  const path = `/v1/alert-rules/${rule.id}`;
  expect(await get(path)).toEqual(rule);
  expect(await get('/v1/alert-rules')).toEqual([rule]);
  const changed = await cloud.admin.patch(path, { filter: {}, is_active: false });
  expect(changed.data).toMatchObject({ condition, filter: {}, is_active: false });

  const unknown = { name: 'B', condition, filter: { store_id: 'store_none' } };
  expect((await cloud.admin.post('/v1/alert-rules', unknown)).error?.code).toBe('STORE_NOT_FOUND');
  expect((await cloud.admin.patch(path, { filter: unknown.filter })).error?.code).toBe('STORE_NOT_FOUND');
  for (const wrong of [
    { type: 'offline', minutes: 0 },
    { type: 'offline' },
    { type: 'behind', minutes: 10_081 },
    { type: 'sad', minutes: 1 },
  ]) {
    const { error } = await cloud.admin.post('/v1/alert-rules', { name: 'B', condition: wrong });
    expect(error?.code, JSON.stringify(wrong)).toBe('VALIDATION_ERROR');
  }
  expect((await cloud.admin.delete(path)).data).toEqual({ id: rule.id, deleted: true });
  expect((await cloud.admin.get(path)).error?.code).toBe('ALERT_RULE_NOT_FOUND');
  for (const missing of ['/v1/alerts/alert_none', '/v1/alerts/alert_none/devices']) {
    expect((await cloud.admin.get(missing)).error?.code).toBe('ALERT_NOT_FOUND');
  }
});

test('more rules than there may be are refused', async () => {
  await cloud.inDatabase((db) =>
    sql`insert into alert_rules (id, name, condition, filter, is_active, created_at, updated_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(MAX_ALERT_RULES)})
      select 'arule_' || i, 'R', '{"type":"offline","minutes":1}', '{}', 0, 0, 0 from n`.execute(db),
  );
  const { status, error } = await cloud.admin.post('/v1/alert-rules', {
    name: 'One more',
    condition: { type: 'offline', minutes: 5 },
  });
  expect([status, error?.details]).toEqual([409, { reason: 'too_many_alert_rules', limit: MAX_ALERT_RULES }]);
  await cloud.inDatabase((db) => db.deleteFrom('alert_rules').execute());
});

test('a device that is silent for the minutes of the rule is one alert, which is resolved when it is back', async () => {
  const [gone, well] = [await pairDevice(cloud, { name: 'Gone' }), await pairDevice(cloud)];
  await report(gone);
  const lastMs = cloud.clock.nowMs();
  alive.set(well, {});
  const rule = await createRule({ type: 'offline', minutes: 10 });
  const hook = (
    await cloud.admin.post('/v1/webhooks', {
      url: 'https://example.com/x',
      events: ['alert.opened', 'alert.resolved'],
    })
  ).data.id;
  const alert = await passUntil(async () => {
    const [found] = (await alertsOf(rule)).filter(
      (each: { subject: { id: string } }) => each.subject.id === gone.deviceId,
    );
    expect(found).toBeDefined();
    return found;
  });
  expect(alert).toEqual({
    id: expect.stringMatching(/^alert_/),
    status: 'open',
    rule_id: rule.id,
    rule_name: 'A rule',
    condition: { type: 'offline', minutes: 10 },
    subject: { type: 'device', id: gone.deviceId, name: 'Gone' },
    devices: 1,
    devices_affected: 1,
    opened_at: expect.any(String),
    resolved_at: null,
    resolved_because: null,
  });
  const silentMs = Date.parse(alert.opened_at) - lastMs;
  expect(silentMs).toBeGreaterThanOrEqual(10 * MINUTE_MS);
  expect(silentMs).toBeLessThan(11 * MINUTE_MS);
  expect(await get(`/v1/alerts/${alert.id}`)).toEqual(alert);
  expect(await get(`/v1/alerts/${alert.id}/devices`)).toEqual([
    { device_id: gone.deviceId, device_name: 'Gone', joined_at: alert.opened_at, over_at: null },
  ]);
  expect(await get(`/v1/alerts?device_id=${well.deviceId}`)).toEqual([]);

  // It comes back for less than two minutes, and later for good.
  await report(gone);
  const backMs = cloud.clock.nowMs();
  await passUntil(async () => {
    expect((await get(`/v1/alerts/${alert.id}`)).devices_affected).toBe(0);
  });
  await passUntil(async () => {
    expect((await get(`/v1/devices/${gone.deviceId}`)).status).toBe('offline');
  });
  const resolvedOnce = (await get(`/v1/alerts/${alert.id}`)).status === 'resolved';
  alive.set(gone, {});
  await passUntil(async () => {
    expect(await alertsOf(rule, '&status=open')).toEqual([]);
  });
  const all = (await alertsOf(rule)).filter(
    (each: { subject: { id: string } }) => each.subject.id === gone.deviceId,
  );
  expect(all).toMatchObject([
    { id: alert.id, status: 'resolved', resolved_because: 'over', devices_affected: 0 },
  ]);
  expect(Date.parse(all[0].resolved_at) - backMs).toBeGreaterThanOrEqual(2 * MINUTE_MS);
  expect(resolvedOnce, 'three minutes of silence are longer than two').toBe(true);
  expect(await eventsOf(alert)).toMatchObject([
    { type: 'alert.opened', data: { alert } },
    { type: 'alert.resolved', data: { alert: { id: alert.id, resolved_because: 'over' } } },
  ]);
  const deliveries = await get(`/v1/webhooks/${hook}/deliveries`);
  expect(deliveries.map((each: { event: string }) => each.event)).toEqual(['alert.resolved', 'alert.opened']);
});

test('a store that is down is one alert, which screens join that follow; a store beside it has one of its own', async () => {
  const [store, other] = [await createStore('Berlin Mitte'), await createStore('Köln')];
  const down = await createDevices(store, 20);
  const late = await createDevices(store, 4);
  const [single = '', ...well] = await createDevices(other, 4);
  // Their last messages were spread over a minute.
  await cloud.inDatabase((db) =>
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
    const { data, meta } = await cloud.admin.get(
      `/v1/alerts/${ofStore.id}/devices?limit=10&cursor=${cursor}`,
    );
    devices.push(...data.map((each: { device_id: string }) => each.device_id));
    cursor = meta.next_cursor;
  }
  expect(devices).toHaveLength(24);
  expect(new Set(devices)).toEqual(new Set([...down, ...late]));
  expect(new Set(devices.slice(0, 20))).toEqual(new Set(down));
  expect((await cloud.admin.get(`/v1/alerts/${ofStore.id}/devices?limit=20&page=2`)).meta).toEqual({
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
  await cloud.admin.delete(`/v1/devices/${last}`);
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

test('while the cloud is down nothing is offline, and what was open before is the same alert after it', async () => {
  const [gone, dying, well] = [await pairDevice(cloud), await pairDevice(cloud), await pairDevice(cloud)];
  await report(gone);
  alive.set(dying, {}).set(well, {});
  const rule = await createRule({ type: 'offline', minutes: 10 });
  const [alert] = await passUntil(async () => {
    const found = await alertsWith(rule, gone);
    expect(found).toHaveLength(1);
    return found;
  });
  // Silent for four of its ten minutes before the cloud stops.
  alive.delete(dying);
  const silentMs = cloud.clock.nowMs();
  await passUntil(async () => expect(cloud.clock.nowMs() - silentMs).toBeGreaterThan(4 * MINUTE_MS));
  await cloud.restart(60 * MINUTE_MS);
  const startedMs = cloud.clock.nowMs();
  const [late] = await passUntil(async () => {
    const found = await alertsWith(rule, dying);
    expect(found).toHaveLength(1);
    return found;
  });
  const openedMs = Date.parse(late.opened_at);
  expect(openedMs - startedMs, 'the rest of its ten minutes').toBeGreaterThan(5 * MINUTE_MS);
  expect(openedMs - startedMs).toBeLessThan(7 * MINUTE_MS);
  expect(await alertsWith(rule, well), 'the cloud was down, not the device').toEqual([]);
  expect(await alertsWith(rule, gone)).toEqual([alert]);
});

test('a fault is an alert while the device reports it; one that is offline is not over', async () => {
  const [full, hot] = [await pairDevice(cloud), await pairDevice(cloud)];
  const since = new Date(cloud.clock.nowMs()).toISOString();
  const faultOf = (code: string) => ({ faults: [{ code, since, facts: {} }] });
  const disk = await createRule({ type: 'fault', code: 'disk.full', minutes: 0 });
  const any = await createRule({ type: 'fault', code: null, minutes: 6 });
  alive.set(full, faultOf('disk.full')).set(hot, faultOf('player.hot'));
  const beganMs = cloud.clock.nowMs();
  await passUntil(async () => expect(await alertsOf(any)).toHaveLength(2));
  const [ofDisk, ...none] = await alertsOf(disk);
  expect([ofDisk.subject.id, none]).toEqual([full.deviceId, []]);
  expect(Date.parse(ofDisk.opened_at) - beganMs).toBeLessThan(MINUTE_MS);
  for (const { opened_at } of await alertsOf(any)) {
    expect(Date.parse(opened_at) - beganMs).toBeGreaterThan(6 * MINUTE_MS);
  }
  // One disappears with its fault, the other reports that it is over.
  alive.delete(full);
  alive.set(hot, {});
  await passUntil(async () => expect(await alertsOf(any, '&status=open')).toHaveLength(1));
  await passUntil(async () => expect((await get(`/v1/devices/${full.deviceId}`)).status).toBe('offline'));
  expect(await get(`/v1/alerts/${ofDisk.id}`)).toEqual(ofDisk);
  alive.set(full, {});
  await passUntil(async () => expect(await alertsOf(disk, '&status=open')).toEqual([]));
});

test('a device that does not follow its manifest is an alert, also over a restart; one that makes progress is none', async () => {
  const [stuck, moving, current] = [
    await pairDevice(cloud),
    await pairDevice(cloud),
    await pairDevice(cloud),
  ];
  const rule = await createRule({ type: 'behind', minutes: 10 });
  const mine = (screen: PairedDevice) => alertsWith(rule, screen);
  alive
    .set(stuck, { applied_manifest_revision: 'old' })
    .set(current, { applied_manifest_revision: await targetOf(current) });
  /** It shows another revision each five minutes. */
  const move = () =>
    alive.set(moving, {
      applied_manifest_revision: `old ${Math.floor(cloud.clock.nowMs() / (5 * MINUTE_MS))}`,
    });
  const beganMs = cloud.clock.nowMs();
  const passed = (minutes: number) =>
    passUntil(async () => {
      move();
      expect(cloud.clock.nowMs() - beganMs).toBeGreaterThan(minutes * MINUTE_MS);
    });
  await passed(6);
  await cloud.restart(20_000);
  const [alert] = await passUntil(async () => {
    move();
    const found = await mine(stuck);
    expect(found).toHaveLength(1);
    return found;
  });
  const afterMs = Date.parse(alert.opened_at) - beganMs;
  expect(afterMs).toBeGreaterThan(10 * MINUTE_MS);
  expect(afterMs, 'the minutes before the restart count').toBeLessThan(14 * MINUTE_MS);
  await passed(25);
  expect([await mine(moving), await mine(current)]).toEqual([[], []]);
  alive.delete(moving);
  alive.set(stuck, { applied_manifest_revision: await targetOf(stuck) });
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
});

test('devices of an old version are one alert', async () => {
  const store = await createStore('Old');
  const screens = [];
  for (const version of ['1.9.0', '1.9.3', '1.10.0', '2.0.0']) {
    const screen = await pairDevice(cloud, { store_id: store });
    alive.set(screen, { player_version: version });
    screens.push(screen.deviceId);
  }
  const rule = await createRule(
    { type: 'old_version', version: '1.10.0', minutes: 0 },
    { filter: { store_id: store } },
  );
  await passUntil(async () => expect(await alertsOf(rule)).toMatchObject([{ devices: 2 }]));
  const [alert] = await alertsOf(rule);
  expect(alert.subject).toEqual({ type: 'all', id: null, name: null });
  const devices = await get(`/v1/alerts/${alert.id}/devices`);
  expect(new Set(devices.map((each: { device_id: string }) => each.device_id))).toEqual(
    new Set(screens.slice(0, 2)),
  );
  for (const screen of alive.keys()) {
    alive.set(screen, { player_version: '2.0.0' });
  }
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
});

test('open alerts are resolved when their rule is changed, switched off or deleted; another name changes nothing', async () => {
  const screen = await pairDevice(cloud);
  const since = new Date(cloud.clock.nowMs()).toISOString();
  alive.set(screen, { faults: ['changed.one', 'changed.two'].map((code) => ({ code, since, facts: {} })) });
  const rule = await createRule({ type: 'fault', code: 'changed.one', minutes: 0 });
  const path = `/v1/alert-rules/${rule.id}`;
  const opened = () =>
    passUntil(async () => {
      const found = await alertsOf(rule, '&status=open');
      expect(found).toHaveLength(1);
      return found[0];
    });
  const resolution = async (alert: { id: string }) => {
    const { status, resolved_because } = await get(`/v1/alerts/${alert.id}`);
    return [status, resolved_because];
  };
  const first = await opened();
  await cloud.admin.patch(path, { name: 'Another name', condition: rule.condition, is_active: true });
  expect(await resolution(first)).toEqual(['open', null]);
  await cloud.admin.patch(path, { condition: { ...rule.condition, code: 'changed.two' } });
  expect(await resolution(first)).toEqual(['resolved', 'rule_changed']);
  const second = await opened();
  expect(second.rule_name).toBe('Another name');
  await cloud.admin.patch(path, { is_active: false });
  expect(await resolution(second)).toEqual(['resolved', 'rule_changed']);
  await cloud.admin.patch(path, { is_active: true });
  const third = await opened();
  await cloud.admin.delete(path);
  expect(await resolution(third)).toEqual(['resolved', 'rule_changed']);
  expect(await eventsOf(third)).toMatchObject([{ type: 'alert.opened' }, { type: 'alert.resolved' }]);
  const log = await get(`/v1/audit-log?resource_id=${rule.id}`);
  expect(log.map((each: { action: string }) => each.action)).toEqual([
    'alert_rule.deleted',
    ...Array.from({ length: 4 }, () => 'alert_rule.updated'),
    'alert_rule.created',
  ]);
});

test('resolved alerts are deleted after 90 days, open ones are not', async () => {
  const screen = await pairDevice(cloud);
  const since = new Date(cloud.clock.nowMs()).toISOString();
  alive.set(screen, { faults: ['fault.one', 'fault.two'].map((code) => ({ code, since, facts: {} })) });
  const rule = await createRule({ type: 'fault', code: 'fault.one', minutes: 0 });
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(1));
  await cloud.admin.patch(`/v1/alert-rules/${rule.id}`, {
    condition: { ...rule.condition, code: 'fault.two' },
  });
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(2));
  cloud.clock.advance(91 * 24 * 60 * MINUTE_MS);
  await passUntil(async () => expect(await alertsOf(rule)).toMatchObject([{ status: 'open' }]));
  const left = await cloud.inDatabase((db) =>
    db
      .selectFrom('alert_devices')
      .select('alert_id')
      .where('alert_id', 'not in', (eb) => eb.selectFrom('alerts').select('id'))
      .execute(),
  );
  expect(left).toEqual([]);
});
