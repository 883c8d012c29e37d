import type { ManifestSchedule } from '@placard/protocol';
import type { Clock } from '../domain/clock.ts';
import type { Format } from '../domain/formats.ts';
import type { World } from '../domain/manifest.ts';
import { targetKey } from '../domain/reach.ts';
import type { ZoneTables } from '../domain/zone-table.ts';
import type { Db } from './database.ts';
import { deploymentRepository } from './deployments.ts';
import { groupBy } from './paging.ts';
import { scheduleRepository, targetOf } from './schedules.ts';
import type { ScheduleRow } from './schedules.ts';

const iso = (ms: number) => new Date(ms).toISOString();

export interface WorldDeps {
  /** The address of some bytes. */
  assetUrl: (sha256: string, format: Format) => string;
  /** Hosts of those addresses. */
  mediaHosts: () => readonly string[];
  zones: Pick<ZoneTables, 'tableOf'>;
  clock: Clock;
}

/** Reads everything that devices can be told to show. */
export async function readWorld(db: Db, { assetUrl, mediaHosts, zones, clock }: WorldDeps): Promise<World> {
  const { timezone } = await db.selectFrom('organization').select('timezone').executeTakeFirstOrThrow();
  const schedules = await scheduleRepository(db).all();
  const playlists = await db.selectFrom('playlists').selectAll().execute();
  const items = await db
    .selectFrom('playlist_items')
    .selectAll()
    .orderBy('playlist_id')
    .orderBy('position')
    .execute();
  const assets = await db
    .selectFrom('assets')
    .selectAll()
    .where('id', 'in', (eb) => eb.selectFrom('playlist_items').select('content_id'))
    .execute();
  const held = await deploymentRepository(db).held();
  const itemsOf = groupBy(items, (item) => item.playlist_id);

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
          items: (itemsOf.get(playlist.id) ?? []).map(({ id, content_id, duration, weight }) => ({
            id,
            content_id,
            duration,
            weight,
          })),
        },
      ]),
    ),
    assets: new Map(
      assets.map((asset) => [
        asset.id,
        {
          id: asset.id,
          sha256: asset.sha256,
          size: asset.size,
          url: assetUrl(asset.sha256, asset.format),
          type: asset.type,
          format: asset.format,
          width: asset.width,
          height: asset.height,
          duration: asset.duration,
        },
      ]),
    ),
    deployed: new Map(
      held.map((row) => [
        targetKey(targetOf(row)),
        { playlistId: row.playlist_id, deploymentId: row.deployment_id, createdAtMs: row.created_at },
      ]),
    ),
  };
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
