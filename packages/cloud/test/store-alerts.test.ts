import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { addPerson } from './support/browser.ts';
import type { Person } from './support/browser.ts';
import { openEventStream } from './support/event-stream.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { watchedScreens } from './support/watched-screens.ts';

/** In every name that a person of the own stores must not read. */
const SECRET = 'Elsewhere';

const watched = watchedScreens();
const { alive, get, report, faults, createRule, createStore, alertsOf, passUntil } = watched;

interface Listed {
  id: string;
  subject: { type: string; id: string | null; name: string | null };
}
const idsOf = (alerts: readonly Listed[]) => alerts.map(({ id }) => id).toSorted();
const told = (events: readonly { type: string; resource: string }[]) =>
  events
    .filter(({ type }) => type.startsWith('alert.'))
    .map(({ type, resource }) => `${type} ${resource}`)
    .toSorted();

/** Screens with a full disk, which are an alert each, or one of their store when three of it have that. */
async function addScreens(name: string, count: number, storeId?: string): Promise<PairedDevice[]> {
  const screens = [];
  for (let number = 1; number <= count; number += 1) {
    const screen = await pairDevice(watched.cloud, {
      name: `${name} ${number}`,
      ...(storeId !== undefined && { store_id: storeId }),
    });
    alive.set(screen, faults('disk.full'));
    await report(screen, faults('disk.full'));
    screens.push(screen);
  }
  return screens;
}

/** Two own stores, one of which is down, two others alike, and a screen without a store; each alert is open. */
async function arrange() {
  const own = await createStore('Own');
  const ownDown = await createStore('Own, down');
  const other = await createStore(SECRET);
  const otherDown = await createStore(`${SECRET}, down`);
  const screens = {
    own: (await addScreens('Own screen', 1, own))[0]!,
    ownDown: await addScreens('Dark screen', 3, ownDown),
    other: (await addScreens(`${SECRET} screen`, 1, other))[0]!,
    otherDown: await addScreens(`${SECRET} dark screen`, 3, otherDown),
    homeless: (await addScreens(`${SECRET}, in no store`, 1))[0]!,
  };
  const bound = await addPerson(watched.cloud, 'Editor', { stores: [own, ownDown] });
  const begin = (await bound.client.get('/v1/events?cursor=latest')).meta.next_cursor;
  const stream = await openEventStream(watched.cloud.cloud.url, {
    cookie: [...bound.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });
  const full = await createRule({ type: 'fault', code: 'disk.full', minutes: 0 });
  const old = await createRule({ type: 'old_version', version: '99.0.0', minutes: 0 });
  await passUntil(async () => {
    expect(await alertsOf(full)).toHaveLength(5);
    expect(await alertsOf(old)).toHaveLength(1);
  });
  const alerts: Listed[] = await get('/v1/alerts?limit=100');
  const about = (ref: string | null) => alerts.find(({ subject }) => subject.id === ref)!.id;
  return {
    own,
    other,
    otherDown,
    screens,
    bound,
    begin,
    stream,
    full,
    old,
    mine: [about(screens.own.deviceId), about(ownDown)].toSorted(),
    alerts: {
      own: about(screens.own.deviceId),
      ownDown: about(ownDown),
      other: about(screens.other.deviceId),
    },
    foreign: [about(screens.other.deviceId), about(otherDown), about(screens.homeless.deviceId), about(null)],
  };
}

/** What the person reads; nothing of another store is in it. */
async function read({ client }: Person, path: string) {
  const reply = await client.get(path);
  expect(reply.status, path).toBe(200);
  expect(JSON.stringify(reply), path).not.toContain(SECRET);
  return reply;
}

test('who is bound to stores sees the alerts about these and their screens, and is told of them alone', async () => {
  const { own, other, otherDown, screens, bound, begin, stream, full, old, mine, foreign } = await arrange();
  const list = await read(bound, '/v1/alerts');
  expect([idsOf(list.data), list.meta.total]).toEqual([mine, 2]);
  expect(list.data).toEqual(expect.arrayContaining([await get(`/v1/alerts/${mine[0]}`)]));
  expect((await read(bound, '/v1/alerts?status=open&limit=1')).meta.total).toBe(2);
  const first = await read(bound, '/v1/alerts?limit=1&cursor=first');
  const second = await read(bound, `/v1/alerts?limit=1&cursor=${first.meta.next_cursor}`);
  expect(idsOf([...first.data, ...second.data])).toEqual(mine);
  expect(second.meta.has_more).toBe(false);
  expect((await read(bound, '/v1/alerts?page=2')).data).toEqual([]);
  expect(idsOf((await read(bound, `/v1/alerts?rule_id=${full.id}`)).data)).toEqual(mine);
  expect((await read(bound, `/v1/alerts?rule_id=${old.id}`)).data, 'of several stores').toEqual([]);
  expect((await read(bound, `/v1/alerts?device_id=${screens.own.deviceId}`)).data).toHaveLength(1);
  for (const { deviceId } of [screens.other, ...screens.otherDown, screens.homeless]) {
    const { data, meta } = await read(bound, `/v1/alerts?device_id=${deviceId}`);
    expect([data, meta.total]).toEqual([[], 0]);
  }

  for (const id of mine) {
    expect((await read(bound, `/v1/alerts/${id}`)).data).toEqual(await get(`/v1/alerts/${id}`));
    const devices = await read(bound, `/v1/alerts/${id}/devices`);
    expect(devices.data).toEqual(await get(`/v1/alerts/${id}/devices`));
    expect(devices.meta.total).toBe(devices.data.length);
    expect((await bound.client.get(`/v1/alerts/${id}/mails`)).error?.code).toBe('STORE_NOT_ALLOWED');
  }
  // As if they did not exist, so that nobody learns which ids there are.
  const none = (await bound.client.get('/v1/alerts/alert_none')).error;
  for (const id of foreign) {
    for (const path of [`/v1/alerts/${id}`, `/v1/alerts/${id}/devices`]) {
      const { status, error } = await bound.client.get(path);
      expect([status, error], path).toEqual([404, none]);
    }
    expect((await bound.client.get(`/v1/alerts/${id}/mails`)).error?.code).toBe('STORE_NOT_ALLOWED');
  }
  for (const target of [{ type: 'all' }, { type: 'store', id: own }, { type: 'store', id: other }]) {
    const until = new Date(watched.cloud.clock.nowMs() + 3_600_000).toISOString();
    const refused = await bound.client.post('/v1/alert-mutes', { target, until });
    expect(refused.error?.code, 'mutes are of all stores').toBe('STORE_NOT_ALLOWED');
  }

  for (const screen of alive.keys()) {
    alive.set(screen, {});
  }
  await passUntil(async () => expect(await alertsOf(full, '&status=open')).toEqual([]));
  expect((await read(bound, '/v1/alerts?status=open')).meta.total).toBe(0);
  const resolved = await read(bound, '/v1/alerts?status=resolved');
  expect([idsOf(resolved.data), resolved.meta.total]).toEqual([mine, 2]);
  const expected = mine.flatMap((id) => [`alert.opened ${id}`, `alert.resolved ${id}`]).toSorted();
  const { data: events } = await read(bound, `/v1/events?cursor=${begin}&limit=100&types=alert.*`);
  expect(told(events)).toEqual(expected);
  await eventually(() => expect(told(stream.events.map(({ data }) => data))).toEqual(expected));
  expect(JSON.stringify(stream.events)).not.toContain(SECRET);
  for (const id of foreign) {
    expect((await read(bound, `/v1/events?cursor=${begin}&resource=${id}`)).data).toEqual([]);
  }
  expect(await get(`/v1/events?resource=${foreign[0]}&limit=100`)).toHaveLength(2);

  // With other stores the same person sees the others.
  await watched.cloud.admin.patch(`/v1/users/${bound.id}`, { stores: [other, otherDown] });
  expect(idsOf((await bound.client.get('/v1/alerts')).data)).toEqual(foreign.slice(0, 2).toSorted());
});

test('a screen takes its alerts with it to another store, and nobody sees it in those of the store before', async () => {
  const { own, other, screens, bound, alerts } = await arrange();
  const { admin } = watched.cloud;
  const [moved, ...left] = screens.ownDown;
  const change = { store_id: other, name: `${SECRET} now` };
  await admin.patch(`/v1/devices/${moved!.deviceId}`, change);
  const path = `/v1/alerts/${alerts.ownDown}/devices`;
  const devices = await read(bound, path);
  expect(devices.data.map((each: { device_id: string }) => each.device_id)).toEqual(
    left.map(({ deviceId }) => deviceId),
  );
  expect(devices.meta.total).toBe(2);
  expect((await read(bound, `${path}?limit=1&page=3`)).data).toEqual([]);
  const begin = await read(bound, `${path}?limit=1&cursor=first`);
  const end = await read(bound, `${path}?limit=1&cursor=${begin.meta.next_cursor}`);
  expect([...begin.data, ...end.data, end.meta.has_more]).toEqual([...devices.data, false]);
  expect(await get(path), 'who sees all stores').toHaveLength(3);
  const ofDevice = (id: string) => read(bound, `/v1/alerts?device_id=${id}`);
  expect((await ofDevice(left[0]!.deviceId)).data).toHaveLength(1);
  expect((await ofDevice(moved!.deviceId)).data, 'elsewhere now').toEqual([]);

  await admin.patch(`/v1/devices/${screens.own.deviceId}`, { store_id: null });
  expect(idsOf((await read(bound, '/v1/alerts')).data)).toEqual([alerts.ownDown]);
  expect((await bound.client.get(`/v1/alerts/${alerts.own}`)).error?.code).toBe('ALERT_NOT_FOUND');
  await admin.patch(`/v1/devices/${screens.other.deviceId}`, { store_id: own });
  expect((await bound.client.get(`/v1/alerts/${alerts.other}`)).status).toBe(200);
  // What became of it before and after is told of the store that it is in now.
  alive.set(screens.other, {});
  await passUntil(async () =>
    expect(await get(`/v1/alerts/${alerts.other}`)).toMatchObject({ status: 'resolved' }),
  );
  const eventsOf = async (id: string) =>
    told((await bound.client.get(`/v1/events?resource=${id}&limit=100`)).data);
  expect(await eventsOf(alerts.other)).toEqual([
    `alert.opened ${alerts.other}`,
    `alert.resolved ${alerts.other}`,
  ]);
  expect(await eventsOf(alerts.own)).toEqual([]);
  await admin.delete(`/v1/devices/${screens.other.deviceId}`);
  expect((await bound.client.get(`/v1/alerts/${alerts.other}`)).status).toBe(404);

  // Whoever is bound to a store that was deleted is bound to none.
  const closed = await createStore('Closed');
  const homeless = await addPerson(watched.cloud, 'Viewer', { stores: [closed] });
  await admin.delete(`/v1/stores/${closed}`);
  expect((await read(homeless, '/v1/alerts')).meta.total).toBe(0);
  expect((await homeless.client.get(`/v1/alerts/${alerts.ownDown}`)).status).toBe(404);
});
