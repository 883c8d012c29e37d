import { LIMITS } from '@placard/protocol';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { png } from './support/media.ts';
import { pairDevice, startPairing } from './support/paired-device.ts';

/** Runs SQL directly in the database of the cloud. */
const execute = (cloud: TestCloud, ...statements: string[]): Promise<void> =>
  cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      for (const statement of statements) {
        await sql.raw(statement).execute(trx);
      }
    }),
  );

/** So few that one statement ends long before the database client gives up, also on a busy machine. */
const TAGS_PER_STATEMENT = 10_000;

/** Statements that give `made_1` this many tags. */
const insertTags = (count: number): string[] =>
  Array.from({ length: Math.ceil(count / TAGS_PER_STATEMENT) }, (_, index) => {
    const first = index * TAGS_PER_STATEMENT + 1;
    const last = Math.min(count, first + TAGS_PER_STATEMENT - 1);
    return `with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
       insert into device_tags (device_id, tag, position) select 'made_1', i, i from n`;
  });

test.each([
  ['stores', '/v1/stores', 'tags', `'[]'`],
  ['folders', '/v1/content/folders', 'parent_id', 'null'],
] as const)('the number of %s in an organization is limited', async (kind, path, column, value) => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  await execute(
    cloud,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LIMITS[kind] - 1})
       insert into ${kind} (id, name, ${column}, created_at, updated_at)
       select 'made_' || i, 'made', ${value}, 0, 0 from n`,
  );
  const { data } = await cloud.admin.post(path, { name: 'The last' });
  const refused = await cloud.admin.post(path, { name: 'One more' });
  expect(refused.status).toBe(400);
  expect(refused.error?.message).toContain(`the limit is ${LIMITS[kind]}`);
  await cloud.admin.delete(`${path}/${data.id}`);
  expect((await cloud.admin.post(path, { name: 'Again' })).status).toBe(201);
});

test('the number of assets in an organization is limited', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  await execute(
    cloud,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LIMITS.assets - 1})
       insert into assets (id, name, type, format, width, height, size, sha256, created_at, updated_at)
       select 'made_' || i, 'made', 'image', 'png', 1, 1, 1, 'x', 0, 0 from n`,
  );
  const { data } = await cloud.admin.upload(await png(1), '1.png');
  const refused = await cloud.admin.upload(await png(2), '2.png');
  expect(refused.status).toBe(400);
  expect(refused.error?.message).toContain(`the limit is ${LIMITS.assets}`);
  await cloud.admin.delete(`/v1/content/${data.id}`);
  expect((await cloud.admin.upload(await png(2), '2.png')).status).toBe(201);
});

test('the number of devices and device tags in an organization is limited', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const { deviceId } = await pairDevice(cloud);
  await execute(
    cloud,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LIMITS.devices - 2})
       insert into devices (id, name, type, platform, serial, orientation, status, player_version,
         created_at, updated_at)
       select 'made_' || i, 'made', 'pc', 'linux', 'S', 'portrait', 'offline', '0', 0, 0 from n`,
    ...insertTags(LIMITS.deviceTags - 2),
  );
  const tag = (id: string, ...tags: string[]) => cloud.admin.patch(`/v1/devices/${id}`, { tags });
  await pairDevice(cloud, { tags: ['a', 'b'] });
  const refused = await tag(deviceId, 'c');
  expect(refused.error?.details).toEqual([
    {
      path: 'tags',
      message: `would make ${LIMITS.deviceTags + 1} device tags in the organization; the limit is ${LIMITS.deviceTags}. Remove some first`,
    },
  ]);
  expect((await tag(deviceId)).status).toBe(200);

  const { data } = await startPairing(cloud);
  const pair = () => cloud.admin.post('/v1/devices/pair', { code: data.code });
  const full = await pair();
  expect(full.status).toBe(400);
  expect(full.error?.message).toContain(`the limit is ${LIMITS.devices}`);
  await execute(cloud, `delete from devices where id = 'made_2'`);
  expect((await pair()).status, 'the code is still valid').toBe(201);
}, 180_000);

test('unfinished commands per device are limited; one acknowledged long ago does not count', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const { deviceId } = await pairDevice(cloud);
  const insert = (count: number, status: string, expiresAt: number) =>
    execute(
      cloud,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
         insert into commands (id, device_id, command, status, created_at, expires_at)
         select '${status}_' || i, '${deviceId}', 'REFRESH', '${status}', 0, ${expiresAt} from n`,
    );
  const path = `/v1/devices/${deviceId}/commands`;
  const nowMs = cloud.clock.nowMs();
  await insert(200, 'acknowledged', nowMs - 25 * 3_600_000);
  await insert(LIMITS.openCommands - 1, 'delivered', nowMs + 3_600_000);
  const { data } = await cloud.admin.post(path, { command: 'REFRESH' });
  const refused = await cloud.admin.post(path, { command: 'REFRESH' });
  expect(refused.error).toMatchObject({
    code: 'CONFLICT',
    message: 'The device has 100 unfinished commands; wait until some finish or expire.',
    details: { reason: 'too_many_commands', limit: 100 },
  });
  await cloud.admin.delete(`/v1/devices/${deviceId}`);
  for (const id of [data.id, 'acknowledged_200', 'delivered_99']) {
    expect((await cloud.admin.get(`/v1/commands/${id}`)).data).toMatchObject({
      status: 'failed',
      result: { reason: 'the device was removed' },
    });
  }
});

test('a deployment is deleted when newer ones cover all its targets, or its targets were deleted', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'P' })).data;
  const store = (await cloud.admin.post('/v1/stores', { name: 'S' })).data;
  const targets = [
    { type: 'tag', value: 'a' },
    { type: 'store', id: store.id },
  ];
  const deploy = async (...to: object[]) =>
    (await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets: to })).data.id;
  const held = () =>
    cloud.inDatabase(async (db) => {
      const rows = await db.selectFrom('deployments').select('id').orderBy('id').execute();
      return rows.map(({ id }) => id);
    });
  const first = await deploy(...targets);
  const second = await deploy(targets[0]!);
  expect(await held()).toEqual([first, second]);
  const third = await deploy(targets[0]!);
  expect(await held()).toEqual([first, third]);
  await cloud.admin.delete(`/v1/stores/${store.id}`);
  expect(await held()).toEqual([third]);
});
