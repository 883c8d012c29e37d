import { MAX_OPEN_ALERTS } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import type { Db } from '../src/database/db.ts';
import { MINUTE_MS, setReported, watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const { get, createRule, createStore, createDevices, touch, alertsOf, eventsOf, passUntil } = watched;

interface Alert {
  id: string;
  subject: { type: string };
}
const setVersion = (db: Db, ids: readonly string[], version: string) =>
  db.updateTable('devices').set({ player_version: version }).where('id', 'in', ids).execute();
const setFree = (db: Db, ids: readonly string[], bytes: number) =>
  setReported(db, ids, {
    storage: JSON.stringify({ cache_bytes: 0, free_bytes: bytes, assets_held: 0, assets_missing: 0 }),
  });
const [FULL, EMPTY] = [1_000_000, 8_000_000_000];
const FULL_DISK = { type: 'disk_below', free: 500, unit: 'MB', minutes: 0 };

/** The open alert of this kind, once it is there; the devices report all the time. */
const openAlert = (rule: { id: string }, type: string, devices: readonly string[]): Promise<Alert> =>
  passUntil(async () => {
    await touch(devices);
    const found = (await alertsOf(rule, '&status=open')).filter(
      ({ subject }: Alert) => subject.type === type,
    );
    expect(found).toHaveLength(1);
    return found[0];
  });

/**
 * Ends the alert for its devices, and lets others begin to have it between two looks, of which the second would resolve it. The
 * condition must be one that is looked at once a minute.
 */
async function endAndBegin(
  alert: Alert,
  devices: readonly string[],
  { end, begin }: Record<'end' | 'begin', (db: Db) => Promise<unknown>>,
): Promise<void> {
  const { cloud } = watched;
  await cloud.inDatabase(end);
  await passUntil(async () => {
    await touch(devices);
    expect(await get(`/v1/alerts/${alert.id}`)).toMatchObject({ status: 'open', devices_affected: 0 });
  });
  await cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      const over_since = cloud.clock.nowMs() - 10 * MINUTE_MS;
      await trx.updateTable('alert_devices').set({ over_since }).where('alert_id', '=', alert.id).execute();
      await begin(trx);
    }),
  );
}

/** The alert goes on with so many devices, and ends when they have it no more; nothing else was told meanwhile. */
async function expectToGoOn(
  alert: Alert,
  devices: readonly string[],
  { affected, end }: { affected: number; end: (db: Db) => Promise<unknown> },
): Promise<void> {
  const reaches = (expected: object) =>
    passUntil(async () => {
      await touch(devices);
      expect(await get(`/v1/alerts/${alert.id}`)).toMatchObject(expected);
    });
  await reaches({ status: 'open', devices_affected: affected });
  expect(await eventsOf(alert)).toMatchObject([{ type: 'alert.opened' }]);
  await watched.cloud.inDatabase(end);
  await reaches({ status: 'resolved', resolved_because: 'over' });
  expect(await eventsOf(alert)).toMatchObject([{ type: 'alert.opened' }, { type: 'alert.resolved' }]);
}

test('the alert of old versions goes on with a device that comes when it would be resolved', async () => {
  const store = await createStore('Versions');
  const devices = await createDevices(store, 3);
  const [first = '', ...others] = devices;
  await watched.cloud.inDatabase(async (db) => {
    await setVersion(db, [first], '1.0.0');
    await setVersion(db, others, '2.0.0');
  });
  const rule = await createRule(
    { type: 'old_version', version: '2.0.0', minutes: 0 },
    { filter: { store_id: store } },
  );
  const alert = await openAlert(rule, 'all', devices);
  await endAndBegin(alert, devices, {
    end: (db) => setVersion(db, [first], '2.0.0'),
    begin: (db) => setVersion(db, others, '1.0.0'),
  });
  await expectToGoOn(alert, devices, { affected: 2, end: (db) => setVersion(db, others, '2.0.0') });
  expect(await alertsOf(rule)).toHaveLength(1);
});

test('so does the alert of a store', async () => {
  const store = await createStore('Full disks');
  const devices = await createDevices(store, 6);
  const [first, others] = [devices.slice(0, 3), devices.slice(3)];
  await watched.cloud.inDatabase((db) => setFree(db, first, FULL));
  const rule = await createRule(FULL_DISK, { filter: { store_id: store } });
  const alert = await openAlert(rule, 'store', devices);
  await endAndBegin(alert, devices, {
    end: (db) => setFree(db, first, EMPTY),
    begin: (db) => setFree(db, others, FULL),
  });
  await expectToGoOn(alert, devices, { affected: 3, end: (db) => setFree(db, others, EMPTY) });
  expect(await alertsOf(rule)).toHaveLength(1);
});

test('and the alert of what comes on top of too many, beside which the others stay open', async () => {
  const devices = await createDevices(null, MAX_OPEN_ALERTS + 3);
  const others = devices.slice(-2);
  const rule = await createRule(FULL_DISK, { filter: { search: 'dev_' } });
  await watched.cloud.inDatabase((db) => setFree(db, devices.slice(0, -2), FULL));
  const alert = await openAlert(rule, 'all', devices);
  const [{ device_id: onTop }] = await get(`/v1/alerts/${alert.id}/devices`);
  await endAndBegin(alert, devices, {
    end: (db) => setFree(db, [onTop], EMPTY),
    begin: (db) => setFree(db, others, FULL),
  });
  await expectToGoOn(alert, devices, { affected: 2, end: (db) => setFree(db, others, EMPTY) });
  const { meta } = await watched.cloud.admin.get(`/v1/alerts?rule_id=${rule.id}&status=open`);
  expect(meta.total).toBe(MAX_OPEN_ALERTS);
});
