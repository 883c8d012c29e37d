import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { containsText, selectPage } from './paging.ts';

test('a worst-case search text is as fast as any other', async () => {
  const db = await openTestDb();
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
    insert into folders (id, name, created_at, updated_at) select i, ${'a'.repeat(200)}, i, 0 from n`.execute(
    db,
  );
  const find = (text: string) =>
    selectPage(db, 'folders', { page: 1, limit: 1 }, { and: containsText(db, 'name', text) });
  const before = process.threadCpuUsage();
  expect(await find(`${'a'.repeat(100)}b`)).toMatchObject({ rows: [], total: 0 });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(300);
  expect(await find('AAA')).toMatchObject({ rows: [{ id: '40000' }], total: 40_000 });
});
