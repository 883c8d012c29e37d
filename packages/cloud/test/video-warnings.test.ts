import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoCodec } from '@placard/protocol';
import type { VideoWarning } from '@placard/protocol/api';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { capabilitiesWithout } from './support/capabilities.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { addPerson } from './support/browser.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { append, begin } from './support/tus.ts';

const media = (name: string) => readFile(join(import.meta.dirname, 'media', name));

let cloud: TestCloud;
let hevc: { id: string; name: string };
let avc: { id: string; name: string };
let picture: string;
let tag: string;
let tests = 0;
beforeAll(async () => {
  cloud = await startTestCloud();
  hevc = (await cloud.admin.upload(await media('blue-hevc.mp4'), 'Intro')).data;
  avc = (await cloud.admin.upload(await media('red-then-blue-avc.mp4'), 'Offer')).data;
  // As large as screens are asked about; the file is smaller.
  await cloud.inDatabase((db) =>
    db
      .updateTable('assets')
      .set({ width: 1920, height: 1080, frame_rate: 25 })
      .where('id', '=', avc.id)
      .execute(),
  );
  picture = (await cloud.admin.upload(await png(1), 'Picture')).data.id;
});
afterAll(() => cloud.close());
beforeEach(() => {
  tag = `tag-${++tests}`;
});

/** A device with the tag of this test that cannot decode these codecs. */
async function pair(name: string, ...missing: VideoCodec[]): Promise<PairedDevice> {
  const device = await pairDevice(cloud, { name, tags: [tag] });
  await device.client.post('/v1/player/capabilities', capabilitiesWithout(...missing));
  return device;
}
const targets = () => [{ type: 'tag', value: tag }];
const makePlaylist = async (...content: string[]): Promise<string> =>
  (
    await cloud.admin.post('/v1/playlists', {
      name: 'P',
      items: content.map((content_id) => ({ content_id, duration: 10 })),
    })
  ).data.id;
const deploy = async (id: string, query = '') =>
  (await cloud.admin.post(`/v1/playlists/${id}/deploy${query}`, { targets: targets() })).data;
/** Of a playlist as it is. */
const warningsOf = async (id: string) =>
  (await cloud.admin.patch(`/v1/playlists/${id}?dry_run=true`, {})).data.warnings;

/** The warnings of a schedule that are about videos. */
const ofVideos = (data: { warnings: { code?: string }[] }) => data.warnings.filter(({ code }) => code);

/** What is said of the HEVC video. */
const cannotDecode = (count: number, names: string, devices: readonly PairedDevice[]) => ({
  code: 'SCREENS_CANNOT_DECODE',
  message: `${count} ${count === 1 ? 'screen' : 'screens'} cannot decode HEVC: ${names}. Video: “Intro”.`,
  video: { codec: 'hevc', bit_depth: 8, width: 1920, height: 1080, frame_rate: 30 },
  device_count: count,
  devices: devices.map(({ deviceId }) => ({ id: deviceId, name: expect.any(String) })),
  content_count: 1,
  content: [{ id: hevc.id, name: 'Intro' }],
});

test('a deployment and its dry run name the screens that cannot decode a video', async () => {
  const screens = [await pair('Counter', 'hevc'), await pair('Window', 'hevc', 'av1')];
  await pair('Can', 'av1');
  await pairDevice(cloud, { name: 'Says nothing', tags: [tag] });
  const playlist = await makePlaylist(picture, hevc.id, avc.id, hevc.id);
  const expected = [cannotDecode(2, 'Counter, Window', screens)];
  const tried = await deploy(playlist, '?dry_run=true');
  expect([tried.warnings, tried.dry_run.device_count]).toEqual([expected, 4]);
  expect(await warningsOf(playlist), 'nothing was deployed').toEqual([]);
  expect((await deploy(playlist)).warnings).toEqual(expected);
  expect(await warningsOf(playlist)).toEqual(expected);
  const events = await cloud.admin.get('/v1/events?types=playlist.deployed&limit=100');
  expect(JSON.stringify(events.data), 'people of other stores read events').not.toContain('Counter');

  const harmless = await makePlaylist(picture, avc.id);
  expect((await deploy(harmless)).warnings).toEqual([]);
});

test('a change of a playlist that is shown names them, also as a dry run', async () => {
  const screens = [await pair('Counter', 'hevc')];
  const playlist = await makePlaylist(avc.id);
  const path = `/v1/playlists/${playlist}`;
  const items = [avc.id, hevc.id].map((content_id) => ({ content_id }));
  expect((await cloud.admin.patch(`${path}?dry_run=true`, { items })).data.warnings).toEqual([]);
  await deploy(playlist);
  const expected = [cannotDecode(1, 'Counter', screens)];
  expect((await cloud.admin.patch(`${path}?dry_run=true`, { items })).data.warnings).toEqual(expected);
  expect((await cloud.admin.patch(path, { name: 'New name' })).data.warnings).toEqual([]);
  const added = await cloud.admin.post(`${path}/items`, { content_id: hevc.id });
  expect([added.status, added.data.warnings]).toEqual([201, expected]);
  expect((await cloud.admin.patch(path, { name: 'Newer name' })).data.warnings).toEqual(expected);
  expect((await cloud.admin.patch(path, { items: [items[0]] })).data.warnings).toEqual([]);
});

const startOperation = (devices: object, playlist_id: string, query = '') =>
  cloud.admin.post(`/v1/operations${query}`, { devices, action: { type: 'deploy', playlist_id } });

test('a deployment to many devices and its dry run name them, and a dry run deploys nothing', async () => {
  const screens = [await pair('Counter', 'hevc'), await pair('Window', 'hevc')];
  const able = await pair('Can');
  const other = await pairDevice(cloud, { name: 'Elsewhere' });
  await other.client.post('/v1/player/capabilities', capabilitiesWithout('hevc'));
  const playlist = await makePlaylist(hevc.id, avc.id);
  const ids = [...screens, able].map(({ deviceId }) => deviceId);
  const expected = [cannotDecode(2, 'Counter, Window', screens)];
  const before = await cloud.admin.get('/v1/operations');
  const tried = await startOperation({ ids }, playlist, '?dry_run=true');
  expect([tried.status, tried.data.warnings, tried.data.total]).toEqual([200, expected, 3]);
  const byFilter = await startOperation({ filter: { tag } }, playlist, '?dry_run=true');
  expect([byFilter.status, byFilter.data.warnings]).toEqual([200, expected]);
  expect((await cloud.admin.get('/v1/operations')).meta.total, 'nothing was stored').toBe(before.meta.total);
  expect((await cloud.admin.get(`/v1/operations/${tried.data.id}`)).status).toBe(404);
  const missing = await startOperation({ ids }, 'pl_none', '?dry_run=true');
  expect(missing.error?.code).toBe('PLAYLIST_NOT_FOUND');

  const started = await startOperation({ ids }, playlist);
  expect([started.status, started.data.warnings]).toEqual([202, expected]);
  await eventually(async () => {
    const { data } = await cloud.admin.get(`/v1/operations/${started.data.id}`);
    expect([data.status, data.succeeded]).toEqual(['finished', 3]);
  });
  expect(await warningsOf(playlist)).toEqual(expected);
  const events = await cloud.admin.get(`/v1/events?resource=${started.data.id}&limit=100`);
  expect(JSON.stringify(events.data), 'people of other stores read events').not.toContain('Counter');
  expect((await startOperation({ ids }, await makePlaylist(avc.id), '?dry_run=true')).data.warnings).toEqual(
    [],
  );
});

test.each([
  [{ search: 'count' }, ['Counter']],
  [{ player_version: '0.1.0' }, ['Counter', 'Window']],
  [{ player_version: '9.9.9' }, []],
  [{ revision: 'behind' }, ['Counter', 'Window']],
  [{ revision: 'current' }, []],
])('a deployment to the devices of a filter with %j names those that it finds', async (filter, names) => {
  await pair('Counter', 'hevc');
  await pair('Window', 'hevc');
  const playlist = await makePlaylist(hevc.id);
  const devices = { filter: { ...filter, tag } };
  const { warnings } = (await startOperation(devices, playlist, '?dry_run=true')).data;
  const named = warnings.flatMap((warning: VideoWarning) => warning.devices.map(({ name }) => name));
  expect(named).toEqual(names);
});

test('a file that replaces that of content which is shown names them, and so does the content', async () => {
  const screens = [await pair('Counter', 'hevc'), await pair('Other', 'hevc')];
  const asset = (await cloud.admin.upload(await media('red-then-blue-avc.mp4'), 'Clip')).data.id;
  const path = `/v1/content/${asset}/warnings`;
  const replace = async (name: string) => (await cloud.admin.replace(asset, await media(name))).data.warnings;
  expect(await replace('blue-hevc.mp4'), 'nobody shows it').toEqual([]);
  expect(await replace('red-then-blue-avc.mp4')).toEqual([]);
  await deploy(await makePlaylist(picture, asset));
  expect((await cloud.admin.get(path)).data).toEqual([]);
  const expected = [
    {
      ...cannotDecode(2, 'Counter, Other', screens),
      message: '2 screens cannot decode HEVC: Counter, Other. Video: “Clip”.',
      content: [{ id: asset, name: 'Clip' }],
    },
  ];
  expect(await replace('blue-hevc.mp4')).toEqual(expected);
  expect((await cloud.admin.get(path)).data).toEqual(expected);
  const events = await cloud.admin.get(`/v1/events?resource=${asset}&limit=100`);
  expect(JSON.stringify(events.data), 'people of other stores read events').not.toContain('Counter');

  // A resumable upload answers with no body.
  await replace('red-then-blue-avc.mp4');
  const bytes = await media('blue-hevc.mp4');
  const begun = await begin(cloud.admin, bytes.length, { replaces: asset });
  await append(cloud.admin, begun.data.id, 0, bytes);
  expect((await cloud.admin.get(path)).data).toEqual(expected);
  cloud.clock.advance(1000);
  await cloud.admin.post(`/v1/playlists/${await makePlaylist(avc.id)}/deploy`, {
    targets: [{ type: 'device', id: screens[1]!.deviceId }],
  });
  expect((await cloud.admin.get(path)).data, 'another playlist has taken its place').toMatchObject([
    { device_count: 1, devices: [{ name: 'Counter' }] },
  ]);
  expect((await cloud.admin.get(`/v1/content/${picture}/warnings`)).data).toEqual([]);
  expect((await cloud.admin.get('/v1/content/asset_none/warnings')).error?.code).toBe('CONTENT_NOT_FOUND');
});

test('a schedule and its dry run name them with the rule', async () => {
  const screens = [await pair('Counter', 'hevc')];
  const playlists = [await makePlaylist(avc.id), await makePlaylist(hevc.id)];
  const body = {
    name: 'S',
    targets: targets(),
    rules: playlists.map((playlist_id) => ({
      playlist_id,
      days: ['MON'],
      start_time: '08:00',
      end_time: '09:00',
    })),
  };
  const expected = [{ path: 'rules.1.playlist_id', ...cannotDecode(1, 'Counter', screens) }];
  expect(ofVideos((await cloud.admin.post('/v1/schedules?dry_run=true', body)).data)).toEqual(expected);
  const made = await cloud.admin.post('/v1/schedules', body);
  expect(ofVideos(made.data)).toEqual(expected);
  expect(await warningsOf(playlists[1]!)).toEqual([cannotDecode(1, 'Counter', screens)]);
  const path = `/v1/schedules/${made.data.id}`;
  expect(ofVideos((await cloud.admin.patch(path, { name: 'T' })).data)).toEqual(expected);
  const none = await cloud.admin.patch(path, { rules: [body.rules[0]] });
  expect(ofVideos(none.data)).toEqual([]);
});

test('screens that leave out frames are named apart, and many are counted', async () => {
  const { videos } = capabilitiesWithout();
  for (let number = 1; number <= 6; number++) {
    const { client } = await pair(`Slow ${number}`);
    await client.post('/v1/player/capabilities', {
      videos: videos.map((each) => ({ ...each, smooth: each.codec !== 'h264', power_efficient: number > 3 })),
    });
  }
  const { warnings } = await deploy(await makePlaylist(avc.id));
  expect(warnings).toMatchObject([
    {
      code: 'SCREENS_NOT_SMOOTH',
      message:
        '6 screens do not play H.264 smoothly: Slow 1, Slow 2, Slow 3, Slow 4, Slow 5 and 1 more. Video: “Offer”.',
      device_count: 6,
      devices: Array.from({ length: 5 }, () => ({})),
    },
  ]);
});

test('a video between full HD and 4K is judged as 4K, and one above that is not known to play anywhere', async () => {
  const { videos } = capabilitiesWithout();
  const { client } = await pair('Full HD');
  await client.post('/v1/player/capabilities', {
    videos: videos.map((each) => ({ ...each, supported: each.width === 1920 })),
  });
  await pair('All classes');
  const setSize = (width: number, height: number) =>
    cloud.inDatabase((db) =>
      db.updateTable('assets').set({ width, height }).where('id', '=', avc.id).execute(),
    );
  onTestFinished(async () => void (await setSize(1920, 1080)));
  const playlist = await makePlaylist(avc.id);
  await setSize(2560, 1440);
  expect((await deploy(playlist)).warnings).toMatchObject([
    {
      code: 'SCREENS_CANNOT_DECODE',
      message: '1 screen cannot decode H.264 4K: Full HD. Video: “Offer”.',
      video: { width: 3840, height: 2160, frame_rate: 30 },
    },
  ]);
  await setSize(7680, 4320);
  expect((await deploy(playlist)).warnings).toMatchObject([
    {
      code: 'SCREENS_CANNOT_DECODE',
      message:
        '2 screens cannot, as far as is known, decode H.264 of more than 4K or 60 frames per second: All classes, Full HD. ' +
        'Video: “Offer”.',
      video: { width: 3840, height: 2160, frame_rate: 60, exceeded: true },
    },
  ]);
});

test('people who are bound to stores are told of their screens alone', async () => {
  const stores: string[] = [];
  for (const name of ['North', 'South']) {
    stores.push((await cloud.admin.post('/v1/stores', { name })).data.id);
    const { client } = await pairDevice(cloud, { name: `At ${name}`, store_id: stores.at(-1), tags: [tag] });
    await client.post('/v1/player/capabilities', capabilitiesWithout('hevc'));
  }
  const playlist = await makePlaylist(hevc.id);
  expect((await deploy(playlist)).warnings[0].device_count).toBe(2);
  const { client } = await addPerson(cloud, 'Editor', { stores: [stores[0]!] });
  const own = await client.post(`/v1/playlists/${playlist}/deploy?dry_run=true`, {
    targets: [{ type: 'store', id: stores[0] }],
  });
  expect(own.data.warnings).toMatchObject([{ device_count: 1, devices: [{ name: 'At North' }] }]);
  expect((await client.get(`/v1/content/${hevc.id}/warnings`)).data).toMatchObject([
    { device_count: 1, devices: [{ name: 'At North' }] },
  ]);
});

test('a playlist is not judged by screens on which another one has taken its place', async () => {
  const screens = [await pair('Kept', 'hevc'), await pair('Other', 'hevc')];
  const playlist = await makePlaylist(hevc.id);
  await deploy(playlist);
  expect((await warningsOf(playlist))[0].device_count).toBe(2);
  cloud.clock.advance(1000);
  await cloud.admin.post(`/v1/playlists/${await makePlaylist(avc.id)}/deploy`, {
    targets: [{ type: 'device', id: screens[1]!.deviceId }],
  });
  expect(await warningsOf(playlist)).toEqual([cannotDecode(1, 'Kept', screens.slice(0, 1))]);
});
