import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { playlistRepository } from './playlists.ts';

test('a page of playlists sums up only the items of that page', async () => {
  const db = await openTestDb();
  await sql`insert into assets (id, name, type, format, width, height, size, duration, sha256, created_at, updated_at)
    values ('asset_1', 'A', 'video', 'mp4', 1, 1, 1, 2.5, 'x', 0, 0)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
    insert into playlists (id, name, mode, created_at, updated_at) select 'pl_' || i, 'P', 'shuffle', i, 0 from n`.execute(
    db,
  );
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 19)
    insert into playlist_items (id, playlist_id, content_id, position, duration)
    select playlists.id || '_' || i, playlists.id, 'asset_1', i, case when i > 1 then 10 end
    from playlists, n where playlists.id <> 'pl_4999'`.execute(db);

  const playlists = playlistRepository(db);
  const before = process.threadCpuUsage();
  for (let i = 0; i < 20; i++) {
    await playlists.list({ page: 1, limit: 1 });
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(200);
  expect(await playlists.list({ page: 1, limit: 2 })).toMatchObject({
    rows: [
      { id: 'pl_5000', item_count: 19, total_duration: 182.5 },
      { id: 'pl_4999', item_count: 0, total_duration: 0 },
    ],
    total: 5000,
  });
});
