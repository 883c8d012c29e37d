import { MAX_ALERT_RULES } from '@placard/protocol/api';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import { MINUTE_MS, watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const {
  alive,
  get,
  report,
  faults,
  createRule,
  createStore,
  alertsOf,
  alertsWith,
  eventsOf,
  passMinutes,
  passUntil,
} = watched;

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
  const { warnings, ...stored } = rule;
  expect(warnings).toEqual([]);
  expect(await get(path)).toEqual(stored);
  expect(await get('/v1/alert-rules')).toEqual([stored]);
  const changed = await watched.cloud.admin.patch(path, { filter: {}, is_active: false });
  expect(changed.data).toMatchObject({ condition, filter: {}, is_active: false });

  const unknown = { name: 'B', condition, filter: { store_id: 'store_none' } };
  expect((await watched.cloud.admin.post('/v1/alert-rules', unknown)).error?.code).toBe('STORE_NOT_FOUND');
  expect((await watched.cloud.admin.patch(path, { filter: unknown.filter })).error?.code).toBe(
    'STORE_NOT_FOUND',
  );
  for (const wrong of [
    { type: 'offline', minutes: 0 },
    { type: 'offline' },
    { type: 'behind', minutes: 10_081 },
    { type: 'sad', minutes: 1 },
  ]) {
    const { error } = await watched.cloud.admin.post('/v1/alert-rules', { name: 'B', condition: wrong });
    expect(error?.code, JSON.stringify(wrong)).toBe('VALIDATION_ERROR');
  }
  expect((await watched.cloud.admin.delete(path)).data).toEqual({ id: rule.id, deleted: true });
  expect((await watched.cloud.admin.get(path)).error?.code).toBe('ALERT_RULE_NOT_FOUND');
  for (const missing of ['/v1/alerts/alert_none', '/v1/alerts/alert_none/devices']) {
    expect((await watched.cloud.admin.get(missing)).error?.code).toBe('ALERT_NOT_FOUND');
  }
});

test('a store that a rule names cannot be deleted, be the rule on or off', async () => {
  const { admin } = watched.cloud;
  const [store, other] = [await createStore('Named'), await createStore('Other')];
  const filter = { store_id: store };
  const rule = await createRule({ type: 'offline', minutes: 10 }, { filter, is_active: false });
  await createRule({ type: 'offline', minutes: 10 });
  expect((await admin.delete(`/v1/stores/${other}`)).status).toBe(200);
  const { status, error } = await admin.delete(`/v1/stores/${store}`);
  expect([status, error]).toMatchObject([
    409,
    { code: 'STORE_IN_USE', details: { rules: [{ id: rule.id, name: 'A rule' }] } },
  ]);
  await admin.patch(`/v1/alert-rules/${rule.id}`, { filter: {} });
  expect((await admin.delete(`/v1/stores/${store}`)).data).toEqual({ id: store, deleted: true });
});

test('more rules than there may be are refused', async () => {
  await watched.cloud.inDatabase((db) =>
    sql`insert into alert_rules (id, name, condition, filter, is_active, created_at, updated_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(MAX_ALERT_RULES)})
      select 'arule_' || i, 'R', '{"type":"offline","minutes":1}', '{}', 0, 0, 0 from n`.execute(db),
  );
  const { status, error } = await watched.cloud.admin.post('/v1/alert-rules', {
    name: 'One more',
    condition: { type: 'offline', minutes: 5 },
  });
  expect([status, error?.details]).toEqual([409, { reason: 'too_many_alert_rules', limit: MAX_ALERT_RULES }]);
  await watched.cloud.inDatabase((db) => db.deleteFrom('alert_rules').execute());
});

test('a device that is silent for the minutes of the rule is one alert, which is resolved when it is back', async () => {
  const [gone, well] = [await pairDevice(watched.cloud, { name: 'Gone' }), await pairDevice(watched.cloud)];
  await report(gone);
  const lastMs = watched.cloud.clock.nowMs();
  alive.set(well, {});
  const rule = await createRule({ type: 'offline', minutes: 10 });
  const hook = (
    await watched.cloud.admin.post('/v1/webhooks', {
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
  const backMs = watched.cloud.clock.nowMs();
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

test('while the cloud is down nothing is offline, and what was open before is the same alert after it', async () => {
  const [gone, dying, well] = [
    await pairDevice(watched.cloud),
    await pairDevice(watched.cloud),
    await pairDevice(watched.cloud),
  ];
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
  const silentMs = watched.cloud.clock.nowMs();
  await passUntil(async () => expect(watched.cloud.clock.nowMs() - silentMs).toBeGreaterThan(4 * MINUTE_MS));
  await watched.cloud.restart(60 * MINUTE_MS);
  const startedMs = watched.cloud.clock.nowMs();
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

test('open alerts are resolved when their rule is changed, switched off or deleted; another name changes nothing', async () => {
  const screen = await pairDevice(watched.cloud);
  alive.set(screen, faults('changed.one', 'changed.two'));
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
  await watched.cloud.admin.patch(path, { name: 'Another name', condition: rule.condition, is_active: true });
  expect(await resolution(first)).toEqual(['open', null]);
  await watched.cloud.admin.patch(path, { condition: { ...rule.condition, code: 'changed.two' } });
  expect(await resolution(first)).toEqual(['resolved', 'rule_changed']);
  const second = await opened();
  expect(second.rule_name).toBe('Another name');
  await watched.cloud.admin.patch(path, { is_active: false });
  expect(await resolution(second)).toEqual(['resolved', 'rule_changed']);
  await watched.cloud.admin.patch(path, { is_active: true, language: 'ja' });
  const third = await opened();
  await watched.cloud.admin.delete(path);
  expect(await resolution(third)).toEqual(['resolved', 'rule_changed']);
  expect(await eventsOf(third)).toMatchObject([{ type: 'alert.opened' }, { type: 'alert.resolved' }]);
  const log = await get(`/v1/audit-log?resource_id=${rule.id}`);
  expect(log.map((each: { action: string }) => each.action)).toEqual([
    'alert_rule.deleted',
    ...Array.from({ length: 4 }, () => 'alert_rule.updated'),
    'alert_rule.created',
  ]);
  expect(log[1].changes.map(({ field }: { field: string }) => field)).toEqual(['is_active', 'language']);
});

test('minutes begin again when a rule watches something else or is switched on again, not with another name', async () => {
  const screen = await pairDevice(watched.cloud, { tags: ['anew'] });
  alive.set(screen, faults('anew.one', 'anew.two'));
  const rule = await createRule({ type: 'fault', code: 'anew.one', minutes: 5 });
  const change = (fields: object) => watched.cloud.admin.patch(`/v1/alert-rules/${rule.id}`, fields);
  const changes = [
    () => change({ condition: { ...rule.condition, code: 'anew.two' } }),
    () => change({ filter: { tag: 'anew' } }),
    async () => {
      await change({ is_active: false });
      await change({ is_active: true });
    },
  ];
  await passMinutes(2);
  for (const each of changes) {
    await passMinutes(2);
    await each();
    await passMinutes(2);
    expect(await alertsOf(rule)).toEqual([]);
  }
  await passMinutes(2);
  await change({ name: 'Another name' });
  await passMinutes(2);
  expect(await alertsOf(rule)).toHaveLength(1);
});

test('what a rule knows of its devices is deleted after the request that changes or deletes it', async () => {
  // Its clock is advanced by seconds only; what deletes runs once a minute.
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const countMatches = () =>
    cloud.inDatabase(
      async (db) => (await db.selectFrom('alert_matches').select('device_id').execute()).length,
    );
  const condition = { type: 'hot', celsius: 80, minutes: 0 };
  const create = async (): Promise<string> =>
    (await cloud.admin.post('/v1/alert-rules', { name: 'R', condition, is_active: false })).data.id;
  const [changed, deleted] = [await create(), await create()];
  await cloud.inDatabase(async (db) => {
    for (const id of [changed, deleted]) {
      await sql`insert into alert_matches (rule_id, device_id, since)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 2500)
        select ${sql.lit(id)}, 'dev_' || i, 0 from n`.execute(db);
    }
  });
  await cloud.admin.patch(`/v1/alert-rules/${changed}`, { filter: { tag: 'none' } });
  await cloud.admin.delete(`/v1/alert-rules/${deleted}`);
  expect(await countMatches()).toBe(5000);
  await eventually(async () => {
    cloud.clock.advance(15_000);
    expect(await countMatches()).toBe(0);
  }, 60_000);
});

test('resolved alerts are deleted after 90 days, open ones are not', async () => {
  const screen = await pairDevice(watched.cloud);
  alive.set(screen, faults('fault.one', 'fault.two'));
  const rule = await createRule({ type: 'fault', code: 'fault.one', minutes: 0 });
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(1));
  await watched.cloud.admin.patch(`/v1/alert-rules/${rule.id}`, {
    condition: { ...rule.condition, code: 'fault.two' },
  });
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(2));
  watched.cloud.clock.advance(91 * 24 * 60 * MINUTE_MS);
  await passUntil(async () => expect(await alertsOf(rule)).toMatchObject([{ status: 'open' }]));
  const left = await watched.cloud.inDatabase((db) =>
    db
      .selectFrom('alert_devices')
      .select('alert_id')
      .where('alert_id', 'not in', (eb) => eb.selectFrom('alerts').select('id'))
      .execute(),
  );
  expect(left).toEqual([]);
});
