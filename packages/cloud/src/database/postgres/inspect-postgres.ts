import { sql } from 'kysely';
import type { Db } from '../db.ts';
import { describeOrphans, ORPHANED_SAMPLES, referencedBlobs, OTHER_BLOBS } from '../maintenance.ts';
import type { DatabaseReport } from '../maintenance.ts';

/** Checks a database on PostgreSQL without changing it. The server itself checks its pages and references. */
export async function inspectPostgres(db: Db): Promise<DatabaseReport> {
  const { rows: files } = await sql<Parameters<typeof referencedBlobs>[0]>`
    ${sql.raw(Object.values(OTHER_BLOBS).join(' union all '))} union all select name, sha256, size, thumbnail from assets`.execute(
    db,
  );
  const { rows: newest } = await sql<{ at: number | null }>`
    select max(at) as at from (select max(created_at) as at from assets
      union all select max(last_used_at) from api_keys
      union all select max(last_seen) from device_live
      union all select max(ended_at) from observed_spans) as times`.execute(db);
  const { rows: deviceZones } = await sql<{ version: string | null; devices: number }>`
    select tz_version as version, count(*) as devices from device_live
    join devices on devices.number = device_live.device
    group by tz_version order by tz_version desc nulls last`.execute(db);
  const mediaOwner = await db
    .selectFrom('organization')
    .select(['media_id as id', 'media_turn as turn'])
    .executeTakeFirst();
  const unnumbered = await sql`select 1 from devices where number is null`.execute(db);
  const orphaned = await sql.raw(ORPHANED_SAMPLES).execute(db);
  return {
    problems: describeOrphans({ unnumbered: unnumbered.rows.length, orphaned: orphaned.rows.length }),
    blobs: files.flatMap(referencedBlobs),
    newestMs: newest[0]?.at ?? null,
    deviceZones,
    mediaOwner: mediaOwner ?? { id: null, turn: 0 },
  };
}
