import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';

test('large inputs are read and hashed completely, yielding to the event loop, and uncommitted state stays invisible', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const database = await openTestDatabase({
    storage,
    hash: (text) => text.slice(0, 100),
    assetUrl: (sha256) => sha256,
  });
  await sql`insert into organization (id, name, timezone, epoch, created_at, updated_at)
    values ('org_1', 'O', 'UTC', 1, 0, 0)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5001)
    insert into assets (id, name, type, format, width, height, size, sha256, created_at, updated_at)
    select 'asset_' || i, 'A', 'image', 'png', 1, 1, 1, 'hash_' || i, 0, 0 from n`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 12)
    insert into playlists (id, name, mode, created_at, updated_at)
    select 'pl_' || i, 'P', 'sequential', 0, 0 from n`.execute(db);
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 4999)
    insert into playlist_items (id, playlist_id, content_id, position, duration)
    select playlists.id || '_' || (5000 - i), playlists.id, 'asset_' || (i + 1), i, 10 from n, playlists`.execute(
    db,
  );

  let turns = 0;
  let seen: Promise<{ epoch: number }> | undefined;
  let over = false;
  const count = () => {
    turns += 1;
    seen ??= database.organization.get();
    if (!over) {
      setImmediate(count);
    }
  };
  const change = database.transaction(async (tx) => {
    setImmediate(count);
    tx.invalidateManifests('settings');
    const { content } = await tx.manifestBuilder();
    over = true;
    expect(turns).toBeGreaterThan(2);
    expect(content.playlists.size).toBe(12);
    for (const [id, { manifest, assets }] of content.playlists) {
      expect(new Set(assets).size).toBe(5000);
      expect(manifest.items.map((item) => item.id)).toEqual(
        Array.from({ length: 5000 }, (_, i) => `${id}_${5000 - i}`),
      );
    }
    throw new Error('changed my mind');
  });
  await expect(change).rejects.toThrow('changed my mind');
  expect((await seen)?.epoch).toBe(1);
});
