import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { pairScreen, state } from './support/screen.ts';
import type { Screen } from './support/screen.ts';

const MINUTE_MS = 60_000;

let cloud: TestCloud;
let hookId: string;
beforeAll(async () => {
  cloud = await startTestCloud({ allowAddresses: ['127.0.0.1'] });
  const events = ['device.online', 'device.offline'];
  // Nobody is there: what is written down is what counts.
  hookId = (await cloud.admin.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events })).data.id;
});
afterAll(() => cloud.close());

const speak = (screen: Screen) => screen.api.post('/v1/player/heartbeats', { samples: [], state: state() });
const statusOf = async (screen: Screen) =>
  (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.status;
/** What webhooks were told of the device, oldest first. */
async function told(screen: Screen): Promise<string[]> {
  const { data } = await cloud.admin.get(`/v1/webhooks/${hookId}/deliveries?limit=100`);
  return data
    .filter(
      (each: { payload: { data: { device: { id: string } } } }) =>
        each.payload.data.device.id === screen.deviceId,
    )
    .map((each: { event: string }) => each.event)
    .toReversed();
}
/** Moves time on, with this screen silent, until the condition holds. */
const passUntil = (holds: () => Promise<void>) =>
  eventually(async () => {
    cloud.clock.advance(5000);
    await holds();
  });

test('a restart of a few seconds changes nothing, whatever came before it', async () => {
  const [fresh, nearlySilent] = [await pairScreen(cloud), await pairScreen(cloud)];
  await speak(nearlySilent);
  cloud.clock.advance(2.5 * MINUTE_MS);
  await speak(fresh);
  await cloud.restart(20_000);
  expect(await statusOf(fresh)).toBe('online');
  cloud.clock.advance(MINUTE_MS);
  await speak(fresh);
  await speak(nearlySilent);
  expect([await statusOf(fresh), await statusOf(nearlySilent)]).toEqual(['online', 'online']);
  expect(await told(fresh)).toEqual(['device.online']);
  expect(await told(nearlySilent), 'it had no chance to be heard in time').toEqual(['device.online']);
});

test('after a long stop no device is online before it is heard, and one that is heard is not told as lost', async () => {
  const [back, gone] = [await pairScreen(cloud), await pairScreen(cloud)];
  for (const screen of [back, gone]) await speak(screen);
  await cloud.restart(60 * MINUTE_MS);
  expect([await statusOf(back), await statusOf(gone)]).toEqual(['offline', 'offline']);
  expect((await cloud.admin.get('/v1/devices?status=online')).data).toEqual([]);
  await speak(back);
  expect([await statusOf(back), await statusOf(gone)]).toEqual(['online', 'offline']);

  await passUntil(async () => {
    await speak(back);
    expect(await told(gone)).toEqual(['device.online', 'device.offline']);
  });
  expect(await told(back), 'it was never missed').toEqual(['device.online']);
  expect(await statusOf(back)).toBe('online');
});

test('what was not told before the next stop is told after it', async () => {
  const gone = await pairScreen(cloud);
  await speak(gone);
  await cloud.restart(60 * MINUTE_MS);
  await cloud.restart(60 * MINUTE_MS);
  await passUntil(async () => expect(await told(gone)).toEqual(['device.online', 'device.offline']));
  await speak(gone);
  expect(await told(gone)).toEqual(['device.online', 'device.offline', 'device.online']);
});
