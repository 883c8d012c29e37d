import { operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPerson } from './support/browser.ts';
import type { Person } from './support/browser.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

/** In every name that a person of the own store must not read. */
const SECRET = 'Elsewhere';
const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

let cloud: TestCloud;
let bound: Person;
/** Bound to a store that was deleted, so to none. */
let homeless: Person;
let own: Place;
let other: Place;
let playlist: string;
/** Ids by the name of what they are for. */
const schedules = new Map<string, string>();
const deployments = new Map<string, string>();

interface Place {
  store: string;
  device: string;
}
type Target = { type: string; id?: string; value?: string };

beforeAll(async () => {
  cloud = await startTestCloud();
  const addPlace = async (name: string, tags: string[]): Promise<Place> => {
    const store = await made('/v1/stores', { name });
    return {
      store,
      device: (await pairDevice(cloud, { name: `${name} screen`, store_id: store, tags })).deviceId,
    };
  };
  own = await addPlace('Own', ['shared', 'mine']);
  other = await addPlace(SECRET, ['shared', SECRET]);
  await pairDevice(cloud, { name: `${SECRET}, in no store`, tags: ['shared', SECRET] });
  const asset = (await cloud.admin.upload(await png(1), 'soup.png')).data.id;
  await cloud.admin.patch(`/v1/content/${asset}`, { tags: ['soup', 'shared'] });
  playlist = await made('/v1/playlists', { name: 'Soup', items: [{ content_id: asset }] });
  const lunch = { playlist_id: playlist, start_time: '00:00', end_time: '24:00', days: EVERY_DAY };
  for (const [name, targets] of Object.entries(targetsByName())) {
    schedules.set(name, await made('/v1/schedules', { name, targets, rules: [lunch] }));
  }
  // Each of its own playlist: of one playlist the newest deployment takes over the targets of the others.
  for (const [name, targets] of Object.entries(targetsByName()).toReversed()) {
    const shown = await made('/v1/playlists', { name: `For ${name.replace(SECRET, 'others')}` });
    deployments.set(name, (await cloud.admin.post(`/v1/playlists/${shown}/deploy`, { targets })).data.id);
  }
  bound = await addPerson(cloud, 'Editor', { stores: [own.store] });
  const closed = await made('/v1/stores', { name: 'Closed' });
  homeless = await addPerson(cloud, 'Viewer', { stores: [closed] });
  await cloud.admin.delete(`/v1/stores/${closed}`);
});
afterAll(() => cloud.close());

const device = (id: string): Target => ({ type: 'device', id });
const store = (id: string): Target => ({ type: 'store', id });
const tag = (value: string): Target => ({ type: 'tag', value });
/** Two of them have a target that the others do not take over: a target has one deployment. */
function targetsByName(): Record<string, Target[]> {
  return {
    all: [{ type: 'all' }],
    store: [store(own.store)],
    device: [device(own.device)],
    tag: [tag('mine')],
    mixed: [store(other.store), tag('shared'), tag(SECRET)],
    [`${SECRET} by device`]: [device(other.device)],
    [`${SECRET} by unused tag`]: [tag(`${SECRET} unused`)],
  };
}
const SEEN = ['all', 'device', 'mixed', 'store', 'tag'];
const UNSEEN = [`${SECRET} by device`, `${SECRET} by unused tag`];

const made = async (path: string, body: unknown): Promise<string> =>
  (await cloud.admin.post(path, body)).data.id;
const read = async (path: string, person = bound) => {
  const reply = await person.client.get(path);
  expect(reply.status, path).toBe(200);
  return reply;
};
/** All pages of a list, with two rows each. */
const readByCursor = async (path: string): Promise<unknown[]> => {
  const rows: unknown[] = [];
  for (let cursor = 'first'; cursor !== '';) {
    const { data, meta } = await read(`${path}${path.includes('?') ? '&' : '?'}limit=2&cursor=${cursor}`);
    rows.push(...data);
    cursor = meta.next_cursor ?? '';
  }
  return rows;
};

describe('a person who is bound to stores', () => {
  test('reads what the screens of their stores show, and of no other', async () => {
    const { data, meta } = await read('/v1/timeline');
    expect(meta.total).toBe(1);
    expect(data).toMatchObject([
      {
        device: { id: own.device, name: 'Own screen' },
        store: { id: own.store, name: 'Own' },
        source: 'schedule',
      },
    ]);
    expect(await readByCursor('/v1/timeline')).toHaveLength(1);
    for (const filter of [`store_id=${other.store}`, `tag=${SECRET}`, `search=${SECRET}`]) {
      expect((await read(`/v1/timeline?${filter}`)).data, filter).toEqual([]);
    }
  });

  test('reads the schedules that concern their stores, with the targets that do', async () => {
    const { data, meta } = await read('/v1/schedules?sort=name');
    expect([data.map(({ name }: { name: string }) => name), meta.total]).toEqual([SEEN, SEEN.length]);
    expect(await readByCursor('/v1/schedules?sort=name')).toEqual(data);
    const shared = [{ type: 'tag', value: 'shared' }];
    expect(data[2].targets).toEqual(shared);
    expect((await read(`/v1/schedules?search=${SECRET}`)).data).toEqual([]);
    for (const name of SEEN) {
      const one = (await read(`/v1/schedules/${schedules.get(name)}`)).data;
      expect([one.name, one.rules[0].playlist_id]).toEqual([name, playlist]);
    }
    for (const name of UNSEEN) {
      const { error } = await bound.client.get(`/v1/schedules/${schedules.get(name)}`);
      expect(error?.code, name).toBe('SCHEDULE_NOT_FOUND');
    }
    expect((await read(`/v1/schedules/${schedules.get('mixed')}`)).data.targets).toEqual(shared);
    expect((await cloud.admin.get(`/v1/schedules/${schedules.get('mixed')}`)).data.targets).toHaveLength(3);
  });

  test('reads the deployments that concern their stores, with their targets and devices', async () => {
    const { data, meta } = await read('/v1/deployments');
    const listed = data.map(({ id }: { id: string }) => id);
    expect(new Set(listed)).toEqual(new Set(SEEN.map((name) => deployments.get(name))));
    expect(meta.total).toBe(SEEN.length);
    expect(await readByCursor('/v1/deployments')).toEqual(data);
    const shared = [{ type: 'tag', value: 'shared' }];
    expect(data[listed.indexOf(deployments.get('mixed'))].targets).toEqual(shared);
    for (const name of SEEN) {
      const one = (await read(`/v1/deployments/${deployments.get(name)}`)).data;
      expect([one.device_count, one.manifest_revisions_meta.total], name).toEqual([1, 1]);
      expect(Object.keys(one.manifest_revisions), name).toEqual([own.device]);
    }
    for (const name of UNSEEN) {
      const { error } = await bound.client.get(`/v1/deployments/${deployments.get(name)}`);
      expect(error?.code, name).toBe('DEPLOYMENT_NOT_FOUND');
    }
    expect((await read(`/v1/deployments/${deployments.get('mixed')}`)).data.targets).toEqual(shared);
    expect((await cloud.admin.get(`/v1/deployments/${deployments.get('all')}`)).data.device_count).toBe(3);
    expect((await read(`/v1/deployments?device_id=${own.device}`)).data).toHaveLength(SEEN.length);
    const refused = await bound.client.get(`/v1/deployments?device_id=${other.device}`);
    expect(refused.error?.code).toBe('DEVICE_NOT_FOUND');
  });

  test('reads the tags of content and of the screens of their stores, and counts no others', async () => {
    const { data, meta } = await read('/v1/tags');
    expect(data).toEqual([
      { tag: 'mine', devices: 1, content: 0, schedules: 1 },
      { tag: 'shared', devices: 1, content: 1, schedules: 1 },
      { tag: 'soup', devices: 0, content: 1, schedules: 0 },
    ]);
    expect(meta.total).toBe(3);
    expect(await readByCursor('/v1/tags')).toEqual(data);
    expect((await read('/v1/tags?search=SHAR')).meta.total).toBe(1);
    expect((await read(`/v1/tags?search=${SECRET}`)).data).toEqual([]);
  });

  test('finds no name or id of another store in anything that they may list', async () => {
    const lists = Object.values<Operation>(operations)
      .filter(({ method, path, access }) => method === 'GET' && access === 'Read' && !path.includes('{'))
      .map(({ path }) => path);
    const told: string[] = [];
    for (const path of [
      ...lists,
      `/v1/schedules/${schedules.get('mixed')}`,
      `/v1/deployments/${deployments.get('all')}`,
    ]) {
      const reply = await bound.client.get(path);
      if (reply.status === 403) {
        continue;
      }
      told.push(path);
      const text = JSON.stringify(reply);
      for (const secret of [SECRET, other.store, other.device]) {
        expect(text.includes(secret), `${path} tells ${secret}`).toBe(false);
      }
    }
    expect(told.length, told.join()).toBeGreaterThan(12);
  });

  test('reads nothing of a store any more once it is deleted', async () => {
    for (const path of ['timeline', 'schedules', 'deployments', 'devices', 'stores']) {
      expect((await read(`/v1/${path}`, homeless)).data, path).toEqual([]);
    }
    expect((await read('/v1/tags', homeless)).data.map(({ tag }: { tag: string }) => tag)).toEqual([
      'shared',
      'soup',
    ]);
    for (const path of [`schedules/${schedules.get('all')}`, `deployments/${deployments.get('all')}`]) {
      expect((await homeless.client.get(`/v1/${path}`)).status, path).toBe(404);
    }
  });
});
