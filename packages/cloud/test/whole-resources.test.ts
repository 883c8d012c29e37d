import { operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from './support/browser.ts';
import { operationFor } from './support/client.ts';
import type { ApiClient } from './support/client.ts';
import { png } from './support/media.ts';
import { buildReportedState, buildSample, pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const ALL: readonly Operation[] = Object.values(operations);
const create = async (path: string, body: unknown) => (await cloud.admin.post(path, body)).data.id;
const ignoredBy = ({ headers }: { headers: Headers }) => headers.get('placard-ignored-fields');

const condition = (etag: string | null): Record<string, string> =>
  etag === null ? {} : { 'if-match': etag };

interface Resource {
  path: string;
  /** Who can change it, if not a key. */
  client?: ApiClient;
  /** A field that is changed while all others are sent as they were read. */
  change: Record<string, unknown>;
  /** The header of a response to all of it. */
  ignored: string;
}

/** One of each kind, with more than the defaults. */
async function createResources(): Promise<Resource[]> {
  const asset = (await cloud.admin.upload(await png(), 'a.png', { tags: 'x,y' })).data.id;
  const folder = await create('/v1/content/folders', { name: 'Outer' });
  const store = await create('/v1/stores', { name: 'T', city: 'Ulm', timezone: 'Asia/Tokyo', tags: ['a'] });
  const playlist = await create('/v1/playlists', {
    name: 'P',
    mode: 'weighted',
    items: [
      { content_id: asset, duration: 7, weight: 3 },
      { content_id: asset, weight: 1 },
    ],
  });
  const times = { playlist_id: playlist, start_time: '08:00', end_time: '09:00' };
  const schedule = await create('/v1/schedules', {
    name: 'S',
    is_active: false,
    targets: [{ type: 'all' }, { type: 'tag', value: 'x' }, { type: 'store', id: store }],
    rules: [
      { ...times, days: ['MON', 'SUN'], except_dates: ['2026-12-25'], priority: 7 },
      { ...times, rrule: 'FREQ=MONTHLY;BYMONTHDAY=13', starts_on: '2026-01-01', local_time: true },
    ],
  });
  const device = await pairDevice(cloud, {
    name: 'D',
    store_id: store,
    tags: ['a'],
    orientation: 'portrait',
  });
  await cloud.admin.patch(`/v1/devices/${device.deviceId}`, {
    configuration: { menu_pin: '4711', fit: 'cover', background: 'blurred', language: 'de' },
  });
  await device.client.post('/v1/player/heartbeats', {
    samples: [buildSample(new Date(cloud.clock.nowMs()).toISOString())],
    state: buildReportedState(),
  });
  const webhook = await create('/v1/webhooks', { url: 'https://example.com/x', events: ['device.online'] });
  const alertRule = await create('/v1/alert-rules', {
    name: 'Offline',
    condition: { type: 'offline', minutes: 10 },
    filter: { store_id: store, tag: 'a' },
  });
  const person = await addPerson(cloud, 'Editor', { stores: [store] });
  const inner = await create('/v1/content/folders', { name: 'Inner', parent_id: folder });
  return [
    {
      path: '/v1/organization',
      change: { timezone: 'Europe/Berlin' },
      ignored: 'created_at, id, updated_at',
    },
    {
      path: `/v1/content/${asset}`,
      change: { tags: ['z'] },
      ignored:
        'codec, created_at, duration, format, frame_rate, height, id, sha256, size, thumbnail_url, type, updated_at, url, width',
    },
    {
      path: `/v1/content/folders/${inner}`,
      change: { parent_id: null },
      ignored: 'created_at, id, updated_at',
    },
    {
      path: `/v1/playlists/${playlist}`,
      change: { mode: 'shuffle' },
      ignored: 'created_at, id, item_count, shown_elsewhere, total_duration, updated_at',
    },
    {
      path: `/v1/schedules/${schedule}`,
      change: { targets: [] },
      ignored: 'created_at, id, rule_count, updated_at',
    },
    {
      path: `/v1/stores/${store}`,
      change: { city: 'Bonn' },
      ignored: 'created_at, device_count, id, updated_at',
    },
    {
      path: `/v1/webhooks/${webhook}`,
      change: { is_active: false },
      ignored: 'created_at, disabled_reason, id, updated_at',
    },
    {
      path: `/v1/alert-rules/${alertRule}`,
      change: { filter: {} },
      ignored: 'created_at, id, updated_at',
    },
    {
      path: `/v1/devices/${device.deviceId}`,
      change: { name: 'Window' },
      ignored:
        'clock_offset_ms, configuration.applied_manifest_revision, configuration.heartbeat_interval, ' +
        'configuration.manifest_revision, configuration.menu_pin_set, configuration.orientation, ' +
        'configuration.timezone, created_at, current_playlist, decoders, faults, frames, hardware, id, last_heartbeat, ' +
        'latest_heartbeat, platform, player_version, status, storage, type, tz_version, updated_at',
    },
    {
      path: `/v1/users/${person.id}`,
      change: { name: 'Grace' },
      ignored: 'created_at, email, has_second_factor, id, last_signed_in_at, updated_at',
    },
    {
      path: '/v1/me',
      client: person.client,
      change: { name: 'Ada' },
      ignored: 'email, has_second_factor, id, role, scope, session_expires_at, stores, timezone, type',
    },
  ];
}

test('every resource is taken as it was read: all of it can be sent back, and one field of it changed', async () => {
  const resources = await createResources();
  const covered = new Set(resources.map(({ path }) => operationFor('PATCH', path)?.id));
  const readable = new Set(ALL.flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
  const changeable = ALL.filter(
    ({ method, path, bytes }) => method === 'PATCH' && readable.has(path) && bytes === undefined,
  );
  expect(covered).toEqual(new Set(changeable.map(({ id }) => id)));

  for (const { path, client = cloud.admin, change, ignored } of resources) {
    const read = async () => {
      const { data, headers } = await client.get(path);
      return { data, etag: headers.get('etag') };
    };
    const before = await read();
    expect(before.etag === null, path).toBe(path === '/v1/me');
    const same = await client.call('PATCH', path, before.data, condition(before.etag));
    expect([same.status, ignoredBy(same)], path).toEqual([200, ignored]);
    const after = await read();
    expect({ ...after.data, updated_at: '' }, path).toEqual({ ...before.data, updated_at: '' });
    const sent = { ...after.data, ...change };
    const changed = await client.call('PATCH', path, sent, condition(after.etag));
    expect(changed.status, path).toBe(200);
    const now = (await read()).data;
    expect(now, path).toMatchObject(change);
    expect(ignoredBy(await client.patch(path, change)), path).toBeNull();
  }
});

test('read-only fields have no effect whatever their value; a field that is not known remains an error', async () => {
  const path = `/v1/stores/${await create('/v1/stores', { name: 'Kept' })}`;
  const { data } = await cloud.admin.get(path);
  const odd = { id: 7, created_at: null, device_count: { a: ['\0'] }, name: 'New' };
  const changed = await cloud.admin.patch(path, odd);
  expect([changed.status, ignoredBy(changed)]).toEqual([200, 'created_at, device_count, id']);
  expect({ ...changed.data, updated_at: '' }).toEqual({ ...data, name: 'New', updated_at: '' });
  const unknown = await cloud.admin.patch(path, { ...data, colour: 'red', name: '' });
  expect(ignoredBy(unknown)).toBeNull();
  expect(unknown.error?.details).toEqual([
    { path: 'name', message: 'must not be empty' },
    { path: 'colour', message: 'is not a known field' },
  ]);
  const device = `/v1/devices/${(await pairDevice(cloud)).deviceId}`;
  const nested = await cloud.admin.patch(device, { configuration: { timezone: 'UTC', zone: 'UTC' } });
  expect(nested.error?.details).toEqual([{ path: 'configuration.zone', message: 'is not a known field' }]);
  const made = await cloud.admin.post('/v1/stores', { ...data, name: 'Copy' });
  expect(made.error?.details.map((each: { path: string }) => each.path).toSorted(), 'a POST').toEqual([
    'created_at',
    'device_count',
    'id',
    'updated_at',
  ]);
});

test('a playlist with as many items as it can have is taken as it was read', async () => {
  const content = (await cloud.admin.upload(await png(2), 'b.png')).data.id;
  const items = Array.from({ length: 2000 }, () => ({ content_id: content, duration: 5 }));
  const path = `/v1/playlists/${await create('/v1/playlists', { name: 'Long', items })}`;
  const { data } = await cloud.admin.get(path);
  const { status, data: kept } = await cloud.admin.patch(path, data);
  expect([status, kept.items]).toEqual([200, data.items]);
});
