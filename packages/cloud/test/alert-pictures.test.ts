import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { buildBlack, buildPicture } from './support/screen-pictures.ts';
import { MINUTE_MS, watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const { alive, get, createRule, createStore, alertsOf, passMinutes, passUntil } = watched;

const currentOf = (contentId: string) => ({
  playlist_id: 'pl_1',
  item_id: 'item_1',
  content_id: contentId,
  since: new Date(watched.cloud.clock.nowMs()).toISOString(),
});

const unmeasured = () =>
  watched.cloud.inDatabase((db) =>
    db.selectFrom('screenshots').select('device_id').where('measured_at', 'is', null).execute(),
  );

type Shown = [PairedDevice, Buffer, string | null];
/** Each device sends what it shows: a picture, and the content that it believes to show. */
async function send(...shown: Shown[]): Promise<void> {
  for (const [device, image, contentId] of shown) {
    const { status } = await device.client.post('/v1/player/screenshots', {
      taken_at: new Date(watched.cloud.clock.nowMs()).toISOString(),
      current: contentId && currentOf(contentId),
      image: image.toString('base64'),
    });
    expect(status).toBe(200);
  }
  await passUntil(async () => expect(await unmeasured()).toEqual([]));
}
/** The same after five minutes. */
async function show(...shown: Shown[]): Promise<void> {
  await passMinutes(5);
  await send(...shown);
}

const reporting = async (name: string, fields: object = {}) => {
  const device = await pairDevice(watched.cloud, { name, ...fields });
  alive.set(device, {});
  return device;
};
const namesOf = async (rule: { id: string }, query = '') =>
  (await alertsOf(rule, query)).map(({ subject }: { subject: { name: string } }) => subject.name).toSorted();

test('a screen that is black in some pictures although it shows content is an alert until it is not', async () => {
  await watched.cloud.admin.patch('/v1/organization', { screenshot_interval_minutes: 5 });
  const [dark, idle, bright] = [await reporting('Dark'), await reporting('Idle'), await reporting('Bright')];
  const rule = await createRule({ type: 'screen_black', pictures: 2, minutes: 0 });
  const [black, picture] = [await buildBlack(), await buildPicture(1)];
  await show([dark, black, 'asset_1'], [idle, black, null], [bright, picture, 'asset_1']);
  await passMinutes(2);
  expect(await namesOf(rule)).toEqual([]);
  await show([dark, black, 'asset_1'], [idle, black, null], [bright, black, 'asset_1']);
  await passUntil(async () => expect(await namesOf(rule)).toEqual(['Dark']));
  // A file that only begins and ends as one says nothing: it opens no alert, and resolves none.
  const broken = Buffer.concat([picture.subarray(0, 700), Buffer.from([0xff, 0xd9])]);
  await show([dark, broken, 'asset_1'], [idle, black, null], [bright, broken, 'asset_1']);
  await passMinutes(4);
  expect(await alertsOf(rule)).toMatchObject([{ status: 'open', devices_affected: 1 }]);
  await show([dark, picture, 'asset_1'], [idle, black, null], [bright, picture, 'asset_1']);
  await passUntil(async () => expect(await namesOf(rule, '&status=open')).toEqual([]));
  expect(await namesOf(rule)).toEqual(['Dark']);
});

test('a screen that looks the same while it shows other content, or a video, is an alert; a still picture is none', async () => {
  await watched.cloud.admin.patch('/v1/organization', { screenshot_interval_minutes: 5 });
  const { data: video } = await watched.cloud.admin.upload(
    await readFile(join(import.meta.dirname, 'media/red-then-blue-av1.mp4')),
    'film.mp4',
  );
  const frozen = await reporting('Frozen');
  const film = await reporting('Film');
  const still = await reporting('Still');
  const moving = await reporting('Moving');
  const rule = await createRule({ type: 'screen_frozen', pictures: 3, minutes: 0 });
  for (const turn of [0, 1, 2]) {
    const [one, other] = [await buildPicture(1), await buildPicture(turn + 1)];
    await show(
      [frozen, one, `asset_${turn}`],
      [film, one, video.id],
      [still, one, 'asset_1'],
      [moving, other, `asset_${turn}`],
    );
  }
  await passUntil(async () => expect(await namesOf(rule)).toEqual(['Film', 'Frozen']));
  const next = await buildPicture(4);
  await show([frozen, next, 'asset_4'], [film, next, video.id]);
  await passUntil(async () => expect(await namesOf(rule, '&status=open')).toEqual([]));
  expect((await get(`/v1/alert-rules/${rule.id}`)).condition).toEqual({
    type: 'screen_frozen',
    pictures: 3,
    minutes: 0,
  });
});

test('a store that is black is one alert although its pictures come one after the other; a black screen beside well ones is told at once', async () => {
  await watched.cloud.admin.patch('/v1/organization', { screenshot_interval_minutes: 15 });
  const [black, picture] = [await buildBlack(), await buildPicture(1)];
  const [store, other] = [await createStore('Black store'), await createStore('Other store')];
  const dark: PairedDevice[] = [];
  const mixed: PairedDevice[] = [];
  for (const number of [1, 2, 3, 4]) {
    dark.push(await reporting(`Dark ${number}`, { store_id: store }));
    mixed.push(await reporting(`Mixed ${number}`, { store_id: other }));
  }
  const rule = await createRule({ type: 'screen_black', pictures: 2, minutes: 0 });
  /** The pictures of the screens with this number, more than three minutes after those before. */
  const sendNext = async (number: number) => {
    await passMinutes(3);
    await send(
      [dark[number]!, black, 'asset_1'],
      [mixed[number]!, number === 0 ? black : picture, 'asset_1'],
    );
  };
  for (const number of [0, 1, 2, 3, 0]) {
    expect(await alertsOf(rule)).toEqual([]);
    await sendNext(number);
  }
  const sentMs = watched.cloud.clock.nowMs();
  await passUntil(async () => expect(await namesOf(rule)).toEqual(['Mixed 1']));
  const [alone] = await alertsOf(rule);
  expect(Date.parse(alone.opened_at) - sentMs).toBeLessThan(5 * MINUTE_MS);
  await sendNext(1);
  expect(await namesOf(rule), 'the others of the store are waited for').toEqual(['Mixed 1']);
  await sendNext(2);
  await sendNext(3);
  await passUntil(async () => {
    expect(await namesOf(rule)).toEqual(['Black store', 'Mixed 1']);
    const alerts = await alertsOf(rule);
    expect(alerts).toContainEqual(
      expect.objectContaining({ subject: { type: 'store', id: store, name: 'Black store' }, devices: 4 }),
    );
  });
});

test('a rule about pictures says how many of the screens that it watches send none', async () => {
  const { admin } = watched.cloud;
  const devices: string[] = [];
  for (const name of ['As all', 'Own interval', 'Never', 'Forbidden']) {
    devices.push((await pairDevice(watched.cloud, { name, tags: ['pictured'] })).deviceId);
  }
  const [, own, never, forbidden] = devices;
  const configure = (id: string | undefined, configuration: object) =>
    admin.patch(`/v1/devices/${id}`, { configuration });
  await configure(own, { screenshot_interval_minutes: 60 });
  await configure(never, { screenshot_interval_minutes: 0 });
  await configure(forbidden, { screenshots_allowed: false, screenshot_interval_minutes: 5 });
  const filter = { tag: 'pictured' };
  const without = async (organization: object) => {
    await admin.patch('/v1/organization', organization);
    const { warnings } = await createRule({ type: 'screen_black', pictures: 2, minutes: 0 }, { filter });
    return warnings.map((warning: Record<string, unknown>) => [warning['code'], warning['device_count']]);
  };
  const none = 'SCREENS_SEND_NO_PICTURES';
  expect(await without({ screenshot_interval_minutes: null })).toEqual([[none, 3]]);
  expect(await without({ screenshot_interval_minutes: 15 })).toEqual([[none, 2]]);
  expect(await without({ screenshots_allowed: false })).toEqual([[none, 4]]);
  await admin.patch('/v1/organization', { screenshots_allowed: true });

  const rule = await createRule({ type: 'offline', minutes: 10 }, { filter: { search: 'Never' } });
  expect(rule.warnings).toEqual([]);
  const path = `/v1/alert-rules/${rule.id}`;
  const etag = (await admin.get(path)).headers.get('etag') ?? '';
  const condition = { type: 'screen_frozen', pictures: 3, minutes: 0 };
  const changed = await admin.call('PATCH', path, { condition }, { 'if-match': etag });
  expect(changed.data.warnings).toMatchObject([
    { message: expect.stringMatching(/^1 screen that the rule watches sends no pictures/), device_count: 1 },
  ]);
  // The answer with its warnings has the ETag for the next change.
  const next = { 'if-match': changed.headers.get('etag') ?? '' };
  expect((await admin.call('PATCH', path, { name: 'Frozen' }, next)).status).toBe(200);
  expect(await get(path)).not.toHaveProperty('warnings');
});

test('without a rule about pictures none is measured', async () => {
  await watched.cloud.admin.patch('/v1/organization', { screenshot_interval_minutes: 5 });
  const screen = await reporting('Unwatched');
  await passMinutes(5);
  await screen.client.post('/v1/player/screenshots', {
    taken_at: new Date(watched.cloud.clock.nowMs()).toISOString(),
    current: null,
    image: (await buildPicture(1)).toString('base64'),
  });
  await passMinutes(2);
  const rows = await watched.cloud.inDatabase((db) =>
    db
      .selectFrom('screenshots')
      .select(['measured_at', 'measures'])
      .where('device_id', '=', screen.deviceId)
      .execute(),
  );
  expect(rows).toEqual([{ measured_at: null, measures: null }]);
  const { error } = await watched.cloud.admin.post('/v1/alert-rules', {
    name: 'One picture',
    condition: { type: 'screen_frozen', pictures: 1, minutes: 0 },
  });
  expect(error?.details).toMatchObject([{ path: 'condition.pictures' }]);
});
