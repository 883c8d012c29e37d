import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './open-database.ts';
import { containsText, selectPage } from './paging.ts';

test('a worst-case search text is as fast as any other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'placard-paging-'));
  const db = await openDatabase(folder);
  onTestFinished(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
    insert into folders (id, name, created_at, updated_at) select i, ${'a'.repeat(200)}, i, 0 from n`.execute(
    db,
  );
  const find = (text: string) =>
    selectPage(db, 'folders', { page: 1, limit: 1 }, { and: containsText('name', text) });
  const before = process.threadCpuUsage();
  expect(await find(`${'a'.repeat(100)}b`)).toEqual({ rows: [], total: 0 });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(300);
  expect(await find('AAA')).toMatchObject({ rows: [{ id: '40000' }], total: 40_000 });
});
