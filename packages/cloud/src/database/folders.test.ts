import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { folderRepository } from './folders.ts';

test('all ancestors of a folder are read in one statement, and a cycle terminates', async () => {
  const db = await openTestDb();
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into folders (id, name, parent_id, created_at, updated_at)
    select i, 'F', nullif(i - 1, 0), 0, 0 from n`.execute(db);
  let statements = 0;
  const counted = db.withPlugin({
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const path = await folderRepository(counted).ancestorIds('1000');
  expect(path).toEqual(Array.from({ length: 1000 }, (_, index) => String(1000 - index)));
  expect(statements).toBe(1);
  await sql`update folders set parent_id = '3' where id = '1'`.execute(db);
  expect(await folderRepository(db).ancestorIds('2')).toEqual(['2', '1', '3']);
});
