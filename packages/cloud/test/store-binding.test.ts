import { isForCustomers, operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { addPerson } from './support/browser.ts';
import type { Person } from './support/browser.ts';
import { openEventStream } from './support/event-stream.ts';
import { png } from './support/media.ts';
import { pairDevice, startPairing } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const ALL: readonly Operation[] = Object.values(operations);

let cloud: TestCloud;
let bound: Person;
let ownStore: string;
let otherStore: string;
let ownDevice: string;
let otherDevice: string;
let homeless: string;
beforeAll(async () => {
  cloud = await startTestCloud();
  const addStore = async (name: string): Promise<string> =>
    (await cloud.admin.post('/v1/stores', { name })).data.id;
  ownStore = await addStore('Own');
  otherStore = await addStore('Other');
  ownDevice = (await pairDevice(cloud, { name: 'Own screen', store_id: ownStore })).deviceId;
  otherDevice = (await pairDevice(cloud, { name: 'Other screen', store_id: otherStore })).deviceId;
  homeless = (await pairDevice(cloud, { name: 'Without a store' })).deviceId;
  bound = await addPerson(cloud, 'Editor', { stores: [ownStore] });
});
afterAll(() => cloud.close());

const told = (events: readonly { type: string; resource: string }[]) =>
  events.map(({ type, resource }) => [type, resource]);

const newPlaylist = async (name: string): Promise<string> =>
  (await cloud.admin.post('/v1/playlists', { name })).data.id;

describe('a person who is bound to stores', () => {
  test('sees their stores and the devices in them alone', async () => {
    const me = (await bound.client.get('/v1/me')).data;
    expect(me.stores).toEqual([{ id: ownStore, name: 'Own' }]);
    const { data, meta } = await bound.client.get('/v1/devices');
    expect([data.map(({ id }: { id: string }) => id), meta.total]).toEqual([[ownDevice], 1]);
    expect((await bound.client.get(`/v1/devices?store_id=${otherStore}`)).data).toEqual([]);
    const stores = await bound.client.get('/v1/stores');
    expect([stores.data.map(({ id }: { id: string }) => id), stores.meta.total]).toEqual([[ownStore], 1]);
    expect((await bound.client.get(`/v1/stores/${ownStore}`)).status).toBe(200);
    expect((await bound.client.get(`/v1/stores/${otherStore}`)).error?.code).toBe('STORE_NOT_FOUND');
  });

  test('is told of no operation on a device that other stores have it', async () => {
    const onDevices = ALL.filter((each) => each.path.startsWith('/v1/devices/{id}') && isForCustomers(each));
    expect(onDevices.length).toBeGreaterThan(5);
    for (const { id, method, path, access } of onDevices) {
      for (const device of [otherDevice, homeless]) {
        const { error } = await bound.client.call(method, path.replace('{id}', device), bodyOf(id));
        const expected =
          access === 'Admin' ? ['INSUFFICIENT_SCOPE'] : ['DEVICE_NOT_FOUND', 'STORE_NOT_ALLOWED'];
        expect(expected, `${id} answered ${error?.code}`).toContain(error?.code);
      }
    }
    expect((await bound.client.get(`/v1/devices/${ownDevice}`)).status).toBe(200);
    expect(
      (await bound.client.post(`/v1/devices/${ownDevice}/commands`, { command: 'REFRESH' })).status,
    ).toBe(202);
    expect((await bound.client.get(`/v1/commands?device_id=${ownDevice}`)).data).toHaveLength(1);
    expect((await bound.client.get(`/v1/commands?device_id=${otherDevice}`)).error?.code).toBe(
      'STORE_NOT_ALLOWED',
    );
    expect((await bound.client.get('/v1/commands')).error?.code).toBe('STORE_NOT_ALLOWED');
    const sent = await cloud.admin.post(`/v1/devices/${otherDevice}/commands`, { command: 'REFRESH' });
    expect((await bound.client.get(`/v1/commands/${sent.data.id}`)).error?.code).toBe('COMMAND_NOT_FOUND');
  });

  test('cannot move devices out of, or into, their stores, and pairs new ones for these', async () => {
    const change = (device: string, body: object) => bound.client.patch(`/v1/devices/${device}`, body);
    expect((await change(ownDevice, { name: 'Renamed' })).status).toBe(200);
    for (const storeId of [otherStore, null]) {
      expect((await change(ownDevice, { store_id: storeId })).error?.code).toBe('STORE_NOT_ALLOWED');
    }
    expect((await change(otherDevice, { store_id: ownStore })).error?.code).toBe('DEVICE_NOT_FOUND');
    const { code } = (await startPairing(cloud)).data;
    for (const body of [{ code }, { code, store_id: otherStore }]) {
      expect((await bound.client.post('/v1/devices/pair', body)).error?.code).toBe('STORE_NOT_ALLOWED');
    }
    expect((await bound.client.post('/v1/devices/pair', { code, store_id: ownStore })).status).toBe(201);
  });

  test('deploys to their stores, and changes only playlists that are shown nowhere else', async () => {
    const shared = await newPlaylist('Shared');
    const [own, other] = [
      { type: 'store', id: ownStore },
      { type: 'store', id: otherStore },
    ];
    for (const target of [other, { type: 'device', id: otherDevice }, { type: 'tag', value: 'lobby' }]) {
      expect((await deploy(bound.client, shared, [own, target])).error?.code).toBe('STORE_NOT_ALLOWED');
    }
    expect((await deploy(bound.client, shared, [own, { type: 'device', id: ownDevice }])).status).toBe(202);
    const rename = (id: string) => bound.client.patch(`/v1/playlists/${id}`, { name: 'Renamed' });
    const isElsewhere = async (id: string, client = bound.client) =>
      (await client.get(`/v1/playlists/${id}`)).data.shown_elsewhere;
    expect((await rename(shared)).status).toBe(200);
    expect(await isElsewhere(shared)).toBe(false);
    await deploy(cloud.admin, shared, [other]);
    expect((await rename(shared)).error?.code, 'now also shown elsewhere').toBe('STORE_NOT_ALLOWED');
    expect([await isElsewhere(shared), await isElsewhere(shared, cloud.admin)]).toEqual([true, false]);
    const asset = (await bound.client.upload(await png(1), 'soup.png')).data;
    const made = await bound.client.post('/v1/playlists', {
      name: 'Mine',
      items: [{ content_id: asset.id }],
    });
    expect(made.status).toBe(201);
    await cloud.admin.post('/v1/schedules', {
      name: 'Elsewhere',
      targets: [other],
      rules: [{ playlist_id: made.data.id, start_time: '09:00', end_time: '10:00', days: ['MON'] }],
    });
    expect((await rename(made.data.id)).error?.code, 'scheduled elsewhere').toBe('STORE_NOT_ALLOWED');
    expect(await isElsewhere(made.data.id)).toBe(true);
  });

  test('is refused every operation that no rule opens', async () => {
    const OPEN = [
      'getOwnAccount',
      'getOrganization',
      'listContent',
      'getContent',
      'listRenditions',
      'listContentWarnings',
      'uploadContent',
      'importContent',
      'createUpload',
      'getUpload',
      'appendUpload',
      'deleteUpload',
      'listFolders',
      'getFolder',
      'listPlaylists',
      'getPlaylist',
      'createPlaylist',
      'updatePlaylist',
      'addPlaylistItem',
      'removePlaylistItem',
      'deployPlaylist',
      'listDeployments',
      'getDeployment',
      'listSchedules',
      'getSchedule',
      'listDevices',
      'countDevices',
      'listEvents',
      'getDevice',
      'updateDevice',
      'pairDevice',
      'sendCommand',
      'listHeartbeats',
      'requestScreenshot',
      'takeLivePicture',
      'getScreenshot',
      'getScreenshotImage',
      'requestLogs',
      'readLiveLog',
      'getLogs',
      'getLogFile',
      'getActiveSchedule',
      'getTimeline',
      'listTimeline',
      'listCommands',
      'getCommand',
      'listStores',
      'getStore',
      'updateStore',
      'listTags',
      'listAlerts',
      'getAlert',
      'listAlertDevices',
      'getPlays',
      'exportPlays',
    ];
    const others = ALL.filter(
      ({ id, access }) => (access === 'Read' || access === 'Write') && !OPEN.includes(id),
    );
    expect(others.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['createOperation', 'createSchedule', 'updateContent', 'createAlertMute']),
    );
    for (const { id, method, path } of others) {
      const { error } = await bound.client.call(method, path.replaceAll(/\{\w+\}/g, 'none'), bodyOf(id));
      expect(error?.code, id).toBe('STORE_NOT_ALLOWED');
    }
  });

  test('is told of events of media, playlists and the devices of their stores', async () => {
    const begin = (await bound.client.get('/v1/events?cursor=latest')).meta.next_cursor;
    const stream = await openEventStream(cloud.cloud.url, {
      cookie: [...bound.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    });
    expect(stream.status).toBe(200);
    await cloud.admin.patch(`/v1/devices/${otherDevice}`, { name: 'Elsewhere' });
    await cloud.admin.patch(`/v1/devices/${ownDevice}`, { name: 'Here' });
    await cloud.admin.post(`/v1/devices/${otherDevice}/commands`, { command: 'REFRESH' });
    await cloud.admin.post(`/v1/devices/${ownDevice}/commands`, { command: 'REFRESH' });
    const playlist = await newPlaylist('Told');
    await cloud.admin.post('/v1/schedules', {
      name: 'Not told',
      targets: [{ type: 'store', id: ownStore }],
      rules: [],
    });
    await cloud.admin.post(`/v1/playlists/${playlist}/deploy`, {
      targets: [{ type: 'store', id: otherStore }],
    });
    // Of all stores.
    const rollout = (await cloud.admin.post('/v1/rollouts', { version: '99.0.0' })).data.id;
    await cloud.admin.post(`/v1/rollouts/${rollout}/stop`);
    await cloud.admin.delete(`/v1/rollouts/${rollout}`);
    const gone = (await pairDevice(cloud, { name: 'Gone', store_id: ownStore })).deviceId;
    await cloud.admin.delete(`/v1/devices/${gone}`);
    const expected = [
      ['device.updated', ownDevice],
      ['command.created', ownDevice],
      ['playlist.created', playlist],
      ['device.paired', gone],
      ['device.removed', gone],
    ];
    expect(told((await bound.client.get(`/v1/events?cursor=${begin}&limit=100`)).data)).toEqual(expected);
    await eventually(() => expect(told(stream.events.map(({ data }) => data))).toEqual(expected));
    expect((await bound.client.get(`/v1/events?cursor=${begin}&resource=${otherDevice}`)).data).toEqual([]);
  });

  test('is told by no stream of the stores before, also beside a newer one of the same session', async () => {
    const eve = await addPerson(cloud, 'Viewer', { stores: [otherStore] });
    const cookie = [...eve.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const before = await openEventStream(cloud.cloud.url, { cookie });
    await cloud.admin.patch(`/v1/users/${eve.id}`, { stores: [ownStore] });
    const after = await openEventStream(cloud.cloud.url, { cookie });
    let hasEnded = false;
    void before.ended.then(() => (hasEnded = true));
    await eventually(() => {
      cloud.clock.advance(15_000);
      expect(hasEnded).toBe(true);
    });
    await cloud.admin.patch(`/v1/devices/${ownDevice}`, { name: 'For the newer' });
    await eventually(() =>
      expect(told(after.events.map(({ data }) => data))).toContainEqual(['device.updated', ownDevice]),
    );
    expect(told(before.events.map(({ data }) => data))).not.toContainEqual(['device.updated', ownDevice]);
  });

  test('sees nothing more when the stores change or are deleted', async () => {
    const eve = await addPerson(cloud, 'Viewer', { stores: [otherStore] });
    const seen = async () => (await eve.client.get('/v1/devices')).data.map(({ id }: { id: string }) => id);
    expect(await seen()).toEqual([otherDevice]);
    await cloud.admin.patch(`/v1/users/${eve.id}`, { stores: [ownStore] });
    expect(await seen()).not.toContain(otherDevice);
    const temporary = (await cloud.admin.post('/v1/stores', { name: 'Temporary' })).data.id;
    await cloud.admin.patch(`/v1/users/${eve.id}`, { stores: [temporary] });
    await cloud.admin.delete(`/v1/stores/${temporary}`);
    expect(await seen(), 'of none').toEqual([]);
    expect((await cloud.admin.get(`/v1/users/${eve.id}`)).data.stores).toEqual([]);
    expect((await cloud.admin.patch(`/v1/users/${eve.id}`, { role: 'Admin' })).error?.code).toBe(
      'VALIDATION_ERROR',
    );
    await cloud.admin.patch(`/v1/users/${eve.id}`, { stores: null });
    expect((await seen()).length).toBeGreaterThan(2);
  });
});

const deploy = (client: Person['client'], id: string, targets: object[]) =>
  client.post(`/v1/playlists/${id}/deploy`, { targets });

/** A body that the operation accepts, as far as the rule looks at it. */
function bodyOf(operationId: string): object | undefined {
  const body = ALL.find(({ id, method }) => id === operationId && method !== 'GET')?.example.body;
  return typeof body === 'object' && body !== null ? body : undefined;
}
