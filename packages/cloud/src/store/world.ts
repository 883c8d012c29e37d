import type { ManifestAsset, ManifestPlaylist, ManifestSchedule } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Clock } from '../domain/clock.ts';
import type { Format } from '../domain/formats.ts';
import type { World } from '../domain/manifest.ts';
import { targetKey } from '../domain/reach.ts';
import type { ZoneTables } from '../domain/zone-table.ts';
import type { Db } from './database.ts';
import { deploymentRepository } from './deployments.ts';
import { scheduleRepository, targetOf } from './schedules.ts';
import type { ScheduleRow } from './schedules.ts';
import type { Row } from './schema.ts';

const iso = (ms: number) => new Date(ms).toISOString();

export interface WorldDeps {
  /** The address of some bytes. */
  assetUrl: (sha256: string, format: Format) => string;
  /** Hosts of those addresses. */
  mediaHosts: () => readonly string[];
  zones: Pick<ZoneTables, 'tableOf'>;
  clock: Clock;
}

/** So many rows are read at once. */
const ROWS_OF_A_SLICE = 2000;

/** Reads everything that devices can be told to show, in slices with `pause` in between. */
export async function readWorld(
  db: Db,
  { assetUrl, mediaHosts, zones, clock }: WorldDeps,
  pause: () => Promise<void>,
): Promise<World> {
  const { timezone } = await db.selectFrom('organization').select('timezone').executeTakeFirstOrThrow();
  const schedules = await scheduleRepository(db).all();
  const playlists = await db.selectFrom('playlists').selectAll().execute();
  await pause();
  const itemsOf = new Map<string, ManifestPlaylist['items']>();
  await inSlices(
    (after?: Row<'playlist_items'>) =>
      db
        .selectFrom('playlist_items')
        .selectAll()
        .$if(after !== undefined, (query) =>
          query.where(
            sql<SqlBool>`(playlist_id, position, id) > (${after?.playlist_id}, ${after?.position}, ${after?.id})`,
          ),
        )
        .orderBy('playlist_id')
        .orderBy('position')
        .orderBy('id')
        .limit(ROWS_OF_A_SLICE)
        .execute(),
    ({ playlist_id, id, content_id, duration, weight }) => {
      const item = { id, content_id, duration, weight };
      const items = itemsOf.get(playlist_id);
      if (items) items.push(item);
      else itemsOf.set(playlist_id, [item]);
    },
    pause,
  );
  const assets = new Map<string, ManifestAsset>();
  await inSlices(
    (after?: Row<'assets'>) =>
      db
        .selectFrom('assets')
        .selectAll()
        .where(sql<SqlBool>`exists (select 1 from playlist_items where content_id = assets.id)`)
        .where('id', '>', after?.id ?? '')
        .orderBy('id')
        .limit(ROWS_OF_A_SLICE)
        .execute(),
    (asset) =>
      assets.set(asset.id, {
        id: asset.id,
        sha256: asset.sha256,
        size: asset.size,
        url: assetUrl(asset.sha256, asset.format),
        type: asset.type,
        format: asset.format,
        width: asset.width,
        height: asset.height,
        duration: asset.duration,
      }),
    pause,
  );
  const held = await deploymentRepository(db).held();

  return {
    timezone,
    timezones: zones.tableOf(timezone, clock.nowMs()),
    mediaHosts: mediaHosts(),
    schedules: schedules.filter((schedule) => schedule.is_active === 1).map(presentForDevices),
    switchedOff: schedules.filter((schedule) => schedule.is_active !== 1).map(presentForDevices),
    playlists: new Map(
      playlists.map((playlist) => [
        playlist.id,
        {
          id: playlist.id,
          name: playlist.name,
          mode: playlist.mode,
          items: itemsOf.get(playlist.id) ?? [],
        },
      ]),
    ),
    assets,
    deployed: new Map(
      held.map((row) => [
        targetKey(targetOf(row)),
        { playlistId: row.playlist_id, deploymentId: row.deployment_id, createdAtMs: row.created_at },
      ]),
    ),
  };
}

/** Reads rows slice by slice, each from behind the last row of the one before. */
async function inSlices<T>(
  read: (after?: T) => Promise<T[]>,
  take: (row: T) => void,
  pause: () => Promise<void>,
): Promise<void> {
  for (let rows = await read(); rows.length > 0; rows = await read(rows.at(-1))) {
    for (const row of rows) take(row);
    if (rows.length < ROWS_OF_A_SLICE) return;
    await pause();
  }
}

function presentForDevices(schedule: ScheduleRow): ManifestSchedule {
  return {
    id: schedule.id,
    name: schedule.name,
    targets: schedule.targets,
    rules: schedule.rules.map((rule) => ({
      id: rule.id,
      playlist_id: rule.playlist_id,
      start_time: rule.start_time,
      end_time: rule.end_time,
      days: rule.days === null ? null : JSON.parse(rule.days),
      rrule: rule.rrule,
      priority: rule.priority,
      starts_on: rule.starts_on,
      ends_on: rule.ends_on,
      created_at: iso(rule.created_at),
      updated_at: iso(rule.updated_at),
    })),
  };
}
