import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { commandRepository } from '../src/database/commands.ts';
import { insertDevice } from './support/insert-device.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

// On PostgreSQL each device takes a dozen statements.
vi.setConfig({ testTimeout: 180_000 });

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const REFRESH = { type: 'command', command: 'REFRESH' };

let devices = 0;
/** Devices of a store of their own. */
async function createDevices(count: number): Promise<{ store_id: string; ids: string[] }> {
  const store_id: string = (await cloud.admin.post('/v1/stores', { name: 'Many' })).data.id;
  const ids = Array.from({ length: count }, () => `dev_${String(++devices).padStart(26, '0')}`);
  await cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      for (const id of ids) {
        await insertDevice(trx, id, { store_id });
      }
    }),
  );
  return { store_id, ids };
}

const start = async (filterOrIds: object | string[], action: object) => {
  const selected = Array.isArray(filterOrIds) ? { ids: filterOrIds } : { filter: filterOrIds };
  return cloud.admin.post('/v1/operations', { devices: selected, action });
};

const finished = (id: string) =>
  eventually(async () => {
    const { data } = await cloud.admin.get(`/v1/operations/${id}`);
    expect(data.status).toBe('finished');
    return data;
  }, 120_000);

/** Starts an operation and waits until it has finished. */
async function run(filterOrIds: object | string[], action: object) {
  const { status, data } = await start(filterOrIds, action);
  expect(status).toBe(202);
  return finished(data.id);
}

async function resultsOf(id: string, query = '') {
  const results = [];
  let cursor = 'first';
  do {
    const { data, meta } = await cloud.admin.get(
      `/v1/operations/${id}/results?limit=100&cursor=${cursor}${query}`,
    );
    results.push(...data);
    cursor = meta.next_cursor;
  } while (cursor !== null);
  return results;
}

/** Commands per device. */
const countCommands = () =>
  cloud.inDatabase(async (db) => {
    const rows = await db.selectFrom('commands').select('device_id').execute();
    return rows.reduce(
      (counts, { device_id }) => counts.set(device_id, (counts.get(device_id) ?? 0) + 1),
      new Map<string, number>(),
    );
  });

test('a command to the devices that a filter finds reaches each of them once, with a result for each', async () => {
  const { store_id, ids } = await createDevices(110);
  const other = await createDevices(3);
  const { status, data } = await start({ store_id }, { ...REFRESH, expires_in: 3600 });
  expect([status, data]).toEqual([
    202,
    {
      id: expect.stringMatching(/^op_/),
      action: { type: 'command', command: 'REFRESH', expires_in: 3600 },
      filter: { store_id },
      status: 'selecting',
      total: 0,
      succeeded: 0,
      failed: 0,
      created_at: expect.any(String),
      finished_at: null,
      warnings: [],
    },
  ]);
  expect(await finished(data.id)).toMatchObject({ total: 110, succeeded: 110, failed: 0 });
  const results = await resultsOf(data.id);
  expect(new Set(results.map((result) => result.device_id))).toEqual(new Set(ids));
  const command = (await cloud.admin.get(`/v1/commands/${results[0].command_id}`)).data;
  expect(command).toMatchObject({ device_id: results[0].device_id, command: 'REFRESH', status: 'queued' });
  const counts = await countCommands();
  expect(ids.map((id) => counts.get(id))).toEqual(ids.map(() => 1));
  expect(other.ids.filter((id) => counts.has(id))).toEqual([]);

  const page = await cloud.admin.get(`/v1/operations/${data.id}/results?page=2&limit=100&status=succeeded`);
  expect([page.data.length, page.meta]).toEqual([10, { page: 2, limit: 100, total: 110 }]);
  expect((await cloud.admin.get(`/v1/operations/${data.id}/results?status=failed`)).meta.total).toBe(0);
  expect((await cloud.admin.get('/v1/operations?status=finished&limit=1')).data[0].id).toBe(data.id);

  // A slow machine needs more than one page of progress.
  const eventsOf = async (type: string) =>
    (await cloud.admin.get(`/v1/events?resource=${data.id}&types=${type}`)).data;
  expect(await eventsOf('operation.finished')).toMatchObject([
    { resource: data.id, data: { operation: { status: 'finished', succeeded: 110 } } },
  ]);
  for (const { type } of await eventsOf('operation.*')) {
    expect(type).toMatch(/^operation\.(progress|finished)$/);
  }
});

const log = async (resource: string) => (await cloud.admin.get(`/v1/audit-log?resource_id=${resource}`)).data;

test('an operation and what it does to each device are in the audit log', async () => {
  const { store_id, ids } = await createDevices(2);
  const { id } = await run({ store_id }, { type: 'add_tags', tags: ['audited'] });
  expect(await log(id)).toMatchObject([
    { action: 'operation.created', actor: { type: 'api_key' }, resource: { type: 'operation', id } },
  ]);
  const [operation] = await log(id);
  expect(await log(ids[0] ?? '')).toMatchObject([
    {
      action: 'device.updated',
      actor: operation.actor,
      address: operation.address,
      request_id: operation.request_id,
      changes: [{ field: 'tags', before: [], after: ['audited'] }],
    },
  ]);
});

test('a device that fails does not fail the others, and its result says why', async () => {
  const { ids } = await createDevices(4);
  const [full = '', removed = '', one = '', two = ''] = ids;
  const nowMs = cloud.clock.nowMs();
  await cloud.inDatabase(async (db) => {
    for (let n = 0; n < 100; n++) {
      await commandRepository(db).insert({
        id: `cmd_${n}`,
        device_id: full,
        command: 'REFRESH',
        status: 'queued',
        created_at: nowMs,
        expires_at: nowMs + 86_400_000,
        delivered_at: null,
        acknowledged_at: null,
        finished_at: null,
        result: null,
      });
    }
  });
  await cloud.admin.delete(`/v1/devices/${removed}`);
  const { id, total, succeeded, failed } = await run([full, removed, one, one, 'dev_none', two], REFRESH);
  expect({ total, succeeded, failed }).toEqual({ total: 5, succeeded: 2, failed: 3 });
  const results = await resultsOf(id);
  expect(results.map((result) => [result.device_id, result.status, result.error?.code ?? null])).toEqual([
    [full, 'failed', 'CONFLICT'],
    [removed, 'failed', 'DEVICE_NOT_FOUND'],
    [one, 'succeeded', null],
    ['dev_none', 'failed', 'DEVICE_NOT_FOUND'],
    [two, 'succeeded', null],
  ]);
  expect(results[0].error.message).toContain('unfinished commands');
  expect(await resultsOf(id, '&status=failed')).toHaveLength(3);
});

test('tags, store and orientation are changed, and a device that has them already stays as it is', async () => {
  const { store_id, ids } = await createDevices(3);
  const [first = ''] = ids;
  const other = (await cloud.admin.post('/v1/stores', { name: 'Other' })).data.id;
  await cloud.admin.patch(`/v1/devices/${first}`, { tags: ['old', 'new'] });
  const read = async () => {
    const all = (await cloud.admin.get('/v1/devices?limit=100')).data;
    return ids.map((id) => all.find((device: { id: string }) => device.id === id));
  };
  const changes = async () =>
    (await cloud.admin.get(`/v1/events?types=device.updated&resource=${first}&limit=100`)).data.length;
  const before = await changes();
  await run({ store_id }, { type: 'add_tags', tags: ['new', 'new', 'more'] });
  expect((await read()).map(({ tags }) => tags)).toEqual([
    ['old', 'new', 'more'],
    ['new', 'more'],
    ['new', 'more'],
  ]);
  expect(await run({ store_id }, { type: 'add_tags', tags: ['new'] })).toMatchObject({ succeeded: 3 });
  expect(await changes(), 'nothing changed the second time').toBe(before + 1);
  await run({ tag: 'more' }, { type: 'remove_tags', tags: ['more', 'old'] });
  expect((await read()).map(({ tags }) => tags)).toEqual([['new'], ['new'], ['new']]);
  await run(ids, { type: 'set_orientation', orientation: 'portrait' });
  await run({ store_id }, { type: 'set_store', store_id: other });
  expect((await read()).map(({ orientation, store_id: at }) => [orientation, at])).toEqual(
    ids.map(() => ['portrait', other]),
  );
  await run(ids, { type: 'set_store', store_id: null });
  expect((await read()).map(({ store_id: at }) => at)).toEqual([null, null, null]);
});

test('a playlist is deployed to devices, whose manifests change', async () => {
  const screen = await pairDevice(cloud, { tags: ['deployed by an operation'] });
  const { ids } = await createDevices(2);
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'Base' })).data.id;
  const { id, succeeded } = await run([screen.deviceId, ...ids], { type: 'deploy', playlist_id: playlist });
  expect(succeeded).toBe(3);
  expect((await screen.client.get('/v1/player/manifest')).data.base_playlist_id).toBe(playlist);
  const [{ deployment_id }] = await resultsOf(id);
  const { data } = await cloud.admin.get(`/v1/deployments?device_id=${screen.deviceId}`);
  expect(data[0]).toMatchObject({ id: deployment_id, playlist_id: playlist });
  const [event] = (await cloud.admin.get(`/v1/events?types=playlist.deployed&resource=${playlist}`)).data;
  expect(event.data.deployment.targets).toContainEqual({ type: 'device', id: screen.deviceId });
  const [entry] = (await cloud.admin.get(`/v1/audit-log?resource_id=${playlist}&action=playlist.deployed`))
    .data;
  expect(entry.changes.map(({ field }: { field: string }) => field)).toContain('targets');
});

test('the filter of an operation may be the revision of the manifest', async () => {
  const screen = await pairDevice(cloud, { tags: ['by revision'] });
  const { data } = await screen.client.get('/v1/player/manifest');
  await screen.client.post('/v1/player/heartbeats', {
    samples: [],
    state: buildReportedState({ applied_manifest_revision: data.revision }),
  });
  const filter = { tag: 'by revision' };
  expect(await run({ ...filter, revision: 'behind' }, REFRESH)).toMatchObject({ total: 0 });
  expect(await run({ ...filter, revision: 'current' }, REFRESH)).toMatchObject({ total: 1, succeeded: 1 });
});

test('an operation that names what does not exist, or devices in two ways, is rejected', async () => {
  const code = async (devices: object, action: object) =>
    (await cloud.admin.post('/v1/operations', { devices, action })).error?.code;
  expect(await code({ filter: {} }, { type: 'deploy', playlist_id: 'pl_none' })).toBe('PLAYLIST_NOT_FOUND');
  expect(await code({ filter: {} }, { type: 'set_store', store_id: 'store_none' })).toBe('STORE_NOT_FOUND');
  for (const [devices, action] of [
    [{}, REFRESH],
    [{ filter: {}, ids: ['dev_1'] }, REFRESH],
    [{ ids: [] }, REFRESH],
    [{ ids: Array.from({ length: 10_001 }, (_, n) => `dev_${n}`) }, REFRESH],
    [{ filter: { colour: 'red' } }, REFRESH],
    [{ filter: {} }, { type: 'command', command: 'DANCE' }],
    [{ filter: {} }, { type: 'add_tags', tags: [] }],
    [{ filter: {} }, { type: 'paint' }],
  ] as const) {
    expect(await code(devices, action), JSON.stringify([devices, action]).slice(0, 100)).toBe(
      'VALIDATION_ERROR',
    );
  }
  const problems = async (devices: object) =>
    (await cloud.admin.post('/v1/operations', { devices, action: REFRESH })).error?.details;
  expect(await problems({ filter: { tag: 5 } })).toEqual([
    { path: 'devices.filter.tag', message: 'must be text' },
  ]);
  expect(await problems({ ids: Array.from({ length: 10_001 }, (_, n) => `dev_${n}`) })).toEqual([
    { path: 'devices.ids', message: 'must have at most 10000 entries' },
  ]);
  expect(await problems({ filter: { colour: 'red' } })).toEqual([
    { path: 'devices.filter.colour', message: 'is not a known field' },
  ]);
  for (const devices of [{}, { filter: {}, ids: ['dev_1'] }, { filter: 1 }]) {
    expect(await problems(devices)).toEqual([{ path: 'devices', message: 'must have either ids or filter' }]);
  }
  for (const path of ['', '/results']) {
    expect((await cloud.admin.get(`/v1/operations/op_none${path}`)).error?.code).toBe('OPERATION_NOT_FOUND');
  }
  expect((await cloud.admin.post('/v1/operations/op_none/cancel')).error?.code).toBe('OPERATION_NOT_FOUND');
});

test('a repeated request with the same Idempotency-Key is one operation', async () => {
  const { ids } = await createDevices(2);
  const post = () =>
    cloud.admin.post(
      '/v1/operations',
      { devices: { ids }, action: REFRESH },
      { 'idempotency-key': 'operation-1' },
    );
  const first = await post();
  await finished(first.data.id);
  expect((await post()).data).toEqual(first.data);
  const counts = await countCommands();
  expect(ids.map((id) => counts.get(id))).toEqual([1, 1]);
});

test('an operation goes on after a restart, with the devices that were not done', async () => {
  const { store_id, ids } = await createDevices(200);
  const { data } = await start({ store_id }, REFRESH);
  for (let restarts = 0; restarts < 3; restarts++) {
    const at = (await cloud.admin.get(`/v1/operations/${data.id}`)).data.succeeded;
    await eventually(async () => {
      const now = (await cloud.admin.get(`/v1/operations/${data.id}`)).data;
      expect(now.succeeded > at || now.status === 'finished').toBe(true);
    });
    await cloud.restart();
  }
  expect(await finished(data.id)).toMatchObject({ total: 200, succeeded: 200, failed: 0 });
  const counts = await countCommands();
  expect(ids.filter((id) => counts.get(id) !== 1)).toEqual([]);
  expect(await resultsOf(data.id)).toHaveLength(200);
});

test('a cancelled operation leaves out the devices whose turn has not come', async () => {
  const { store_id, ids } = await createDevices(200);
  const { data } = await start({ store_id }, REFRESH);
  const cancelled = await cloud.admin.post(`/v1/operations/${data.id}/cancel`);
  expect(cancelled.data).toMatchObject({ status: 'cancelled', finished_at: expect.any(String) });
  const { succeeded } = cancelled.data;
  expect(succeeded).toBeLessThan(200);
  const done = await run(ids.slice(-1), { type: 'add_tags', tags: ['after it'] });
  expect(done.succeeded).toBe(1);
  const counts = await countCommands();
  expect(ids.filter((id) => counts.has(id))).toHaveLength(succeeded);
  expect((await cloud.admin.post(`/v1/operations/${data.id}/cancel`)).data).toEqual(cancelled.data);
  expect((await cloud.admin.post(`/v1/operations/${done.id}/cancel`)).data.status).toBe('finished');
});

test('while 20 operations have not finished, another one is rejected', async () => {
  const { ids } = await createDevices(1);
  // Nobody is told of these: they are begun with the next that is.
  cloud.clock.advance(5000);
  await cloud.inDatabase(async (db) => {
    for (let n = 0; n < 20; n++) {
      await db
        .insertInto('bulk_operations')
        .values({
          id: `op_waiting${n}`,
          action: JSON.stringify({ type: 'add_tags', tags: ['x'] }),
          filter: null,
          cursor: null,
          status: 'running',
          total: 0,
          succeeded: 0,
          failed: 0,
          told_at: 0,
          actor_type: 'api_key',
          actor_id: 'key_1',
          actor_name: 'K',
          address: '',
          request_id: '',
          created_at: 0,
          finished_at: null,
        })
        .execute();
    }
  });
  const { status, error } = await start(ids, REFRESH);
  expect([status, error?.details]).toEqual([409, { reason: 'too_many_operations', limit: 20 }]);
  cloud.clock.advance(5000);
  await finished('op_waiting19');
  expect(await run(ids, REFRESH)).toMatchObject({ succeeded: 1 });
});

test('finished operations are deleted after 7 days', async () => {
  const { ids } = await createDevices(1);
  const { id } = await run(ids, REFRESH);
  cloud.clock.advance(6 * 86_400_000);
  expect((await cloud.admin.get(`/v1/operations/${id}`)).status).toBe(200);
  cloud.clock.advance(86_400_000);
  await eventually(async () => {
    cloud.clock.advance(60_000);
    expect((await cloud.admin.get(`/v1/operations/${id}`)).error?.code).toBe('OPERATION_NOT_FOUND');
  }, 120_000);
});
