import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { LIMITS } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { startTestCloud } from './support/cloud.ts';

test.each([
  ['stores', '/v1/stores', 'tags', `'[]'`],
  ['folders', '/v1/content/folders', 'parent_id', 'null'],
] as const)('an organization has only so many %s', async (kind, path, column, value) => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const database = new Sqlite(join(cloud.dataDir, 'cloud.sqlite'));
  database.exec(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LIMITS[kind] - 1})
     insert into ${kind} (id, name, ${column}, created_at, updated_at)
     select 'made_' || i, 'made', ${value}, 0, 0 from n`,
  );
  database.close();
  const { data } = await cloud.admin.post(path, { name: 'The last' });
  const refused = await cloud.admin.post(path, { name: 'One more' });
  expect(refused.status).toBe(400);
  expect(refused.error?.message).toContain(`it can have ${LIMITS[kind]}`);
  await cloud.admin.delete(`${path}/${data.id}`);
  expect((await cloud.admin.post(path, { name: 'Again' })).status).toBe(201);
});
