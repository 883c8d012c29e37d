import type { ManifestAsset, ManifestPlaylist, ManifestSchedule } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Clock } from '../domain/clock.ts';
import { toIso } from '../domain/iso-time.ts';
import type { MediaFormat } from '../domain/media-formats.ts';
import type { ManifestInputs } from '../domain/manifest-builder.ts';
import { targetKey } from '@placard/schedule';
import type { ZoneTableCache } from '../domain/zone-table.ts';
import type { Db } from './open-database.ts';
import { deploymentRepository } from './deployments.ts';
import { scheduleRepository, toRule, toTarget } from './schedules.ts';
import type { ScheduleRow } from './schedules.ts';
import type { Row } from './schema.ts';

export interface ManifestInputsDeps {
  /** URL of a media file. */
  assetUrl: (sha256: string, format: MediaFormat) => string;
  /** Hosts of those URLs. */
  mediaHosts: () => readonly string[];
  zoneTables: Pick<ZoneTableCache, 'tableOf'>;
  clock: Clock;
}

const BATCH_ROWS = 2000;

/** Reads everything that manifests are built from, in batches, awaiting `yieldIfLong` in between. */
export async function readManifestInputs(
  db: Db,
  { assetUrl, mediaHosts, zoneTables, clock }: ManifestInputsDeps,
  yieldIfLong: () => Promise<void>,
): Promise<ManifestInputs> {
  const { timezone } = await db.selectFrom('organization').select('timezone').executeTakeFirstOrThrow();
  const schedules = await scheduleRepository(db).listAll();
  const playlists = await db.selectFrom('playlists').selectAll().execute();
  await yieldIfLong();
  const itemsOf = new Map<string, ManifestPlaylist['items']>(playlists.map(({ id }) => [id, []]));
  await readInBatches(
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
        .limit(BATCH_ROWS)
        .execute(),
    ({ playlist_id, id, content_id, duration, weight }) =>
      itemsOf.get(playlist_id)?.push({ id, content_id, duration, weight }),
    yieldIfLong,
  );
  const assets = new Map<string, ManifestAsset>();
  await readInBatches(
    (after?: Row<'assets'>) =>
      db
        .selectFrom('assets')
        .selectAll()
        .where(sql<SqlBool>`exists (select 1 from playlist_items where content_id = assets.id)`)
        .where('id', '>', after?.id ?? '')
        .orderBy('id')
        .limit(BATCH_ROWS)
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
    yieldIfLong,
  );
  const deployments = await deploymentRepository(db).listByTarget();

  return {
    timezone,
    timezones: zoneTables.tableOf(timezone, clock.nowMs()),
    mediaHosts: mediaHosts(),
    schedules: schedules.filter((schedule) => schedule.is_active === 1).map(toManifestSchedule),
    inactiveSchedules: schedules.filter((schedule) => schedule.is_active !== 1).map(toManifestSchedule),
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
    deploymentByTarget: new Map(
      deployments.map((row) => [
        targetKey(toTarget(row)),
        { playlistId: row.playlist_id, deploymentId: row.deployment_id, createdAtMs: row.created_at },
      ]),
    ),
  };
}

/** Reads rows in batches, each starting after the last row of the previous one. */
async function readInBatches<T>(
  read: (after?: T) => Promise<T[]>,
  onRow: (row: T) => void,
  yieldIfLong: () => Promise<void>,
): Promise<void> {
  for (let rows = await read(); rows.length > 0; rows = await read(rows.at(-1))) {
    for (const row of rows) {
      onRow(row);
    }
    if (rows.length < BATCH_ROWS) {
      return;
    }
    await yieldIfLong();
  }
}

function toManifestSchedule(schedule: ScheduleRow): ManifestSchedule {
  return {
    id: schedule.id,
    name: schedule.name,
    targets: schedule.targets,
    rules: schedule.rules.map((rule) => ({
      ...toRule(rule),
      created_at: toIso(rule.created_at),
      updated_at: toIso(rule.updated_at),
    })),
  };
}
