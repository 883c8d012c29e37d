import { expect, test } from 'vitest';
import { pairDevice } from './support/paired-device.ts';
import { watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const { alive, get, faults, createRule, createStore, alertsOf, eventsOf, passUntil, passMinutes } = watched;

const change = (body: object) => (id: string) => watched.cloud.admin.patch(`/v1/devices/${id}`, body);

test.each<[string, object, (id: string) => Promise<{ status: number }>]>([
  ['loses the tag of the rule', { tag: 'window' }, change({ tags: ['door'] })],
  ['gets another name', { search: 'Window' }, change({ name: 'Door' })],
  ['leaves the place of the rule', { country: 'DE' }, change({ store_id: null })],
  ['is removed', {}, (id) => watched.cloud.admin.delete(`/v1/devices/${id}`)],
])('a broken screen that %s ends its alert, which is not told as over', async (how, filter, leave) => {
  const store_id = await createStore('Ulm', { country: 'DE' });
  const screen = await pairDevice(watched.cloud, { name: 'Window', tags: ['window'], store_id });
  // Not one that the screens of other tests have.
  alive.set(screen, faults(how));
  const rule = await createRule({ type: 'fault', code: how, minutes: 0 }, { filter });
  const [alert] = await passUntil(async () => {
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found;
  });
  expect((await leave(screen.deviceId)).status).toBe(200);
  const ended = await passUntil(async () => {
    const found = await get(`/v1/alerts/${alert.id}`);
    expect(found.status).toBe('resolved');
    return found;
  });
  expect(ended).toMatchObject({ resolved_because: 'not_watched', devices: 1, devices_affected: 0 });
  expect(await get(`/v1/alerts/${alert.id}/devices`)).toMatchObject([{ over_at: null }]);
  expect(await eventsOf(alert)).toMatchObject([
    { type: 'alert.opened' },
    { type: 'alert.resolved', data: { alert: { resolved_because: 'not_watched' } } },
  ]);
});

test('a screen that is well before it is no longer watched is over, and one that is watched again has an alert again', async () => {
  const screen = await pairDevice(watched.cloud, { tags: ['window'] });
  alive.set(screen, faults('back'));
  const rule = await createRule({ type: 'fault', code: 'back', minutes: 0 }, { filter: { tag: 'window' } });
  const reaches = (expected: object[]) =>
    passUntil(async () => expect(await alertsOf(rule)).toMatchObject(expected));
  await reaches([{ status: 'open' }]);
  await change({ tags: [] })(screen.deviceId);
  await reaches([{ resolved_because: 'not_watched' }]);
  await change({ tags: ['window'] })(screen.deviceId);
  await reaches([{ status: 'open' }, { resolved_because: 'not_watched' }]);
  alive.set(screen, {});
  await reaches([{ status: 'open', devices_affected: 0 }, {}]);
  await change({ tags: [] })(screen.deviceId);
  await reaches([{ resolved_because: 'over' }, { resolved_because: 'not_watched' }]);
  await passMinutes(3);
  expect(await alertsOf(rule)).toHaveLength(2);
});
