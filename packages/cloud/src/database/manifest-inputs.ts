import type { ManifestPlaylist, ManifestSchedule } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import type { Clock } from '../domain/clock.ts';
import { exceptionsAsWritten } from '../domain/manifest-rule.ts';
import { toContentPlaylist, toContentSchedule, toSettings } from '../domain/manifest-content.ts';
import type {
  ContentChange,
  ContentPlaylist,
  ContentSchedule,
  CurrentDeployment,
  HashFunction,
  ManifestContent,
  ManifestSettings,
} from '../domain/manifest-content.ts';
import type { MediaFormat } from '../domain/media-formats.ts';
import type { ZoneTableCache } from '../domain/zone-table.ts';
import type { Db } from './db.ts';
import { selectManifestAssets, toAssetWithRendition } from './manifest-assets.ts';
import type { AssetWithRendition, ManifestAssetRow } from './manifest-assets.ts';
import { deploymentRepository } from './deployments.ts';
import type { DeploymentOfTarget } from './deployments.ts';
import { queryInBatches, slicesOf } from './paging.ts';
import { scheduleRepository, toRule, toTarget, toTimedRule } from './schedules.ts';
import type { ScheduleRow } from './schedules.ts';
import { storeRepository } from './stores.ts';
import type { Row } from './schema.ts';

export interface ManifestInputsDeps {
  /** URL of a media file. */
  assetUrl: (sha256: string, format: MediaFormat) => string;
  /** Hosts of those URLs. */
  mediaHosts: () => readonly string[];
  zoneTables: Pick<ZoneTableCache, 'tableOf' | 'findZone'>;
  clock: Clock;
  hash: HashFunction;
}

/** What a transaction has touched of the content of manifests. */
export interface TouchedContent {
  hasNewSettings: boolean;
  playlistIds: ReadonlySet<string>;
  /** Assets with another file. The playlists that have them are touched as well. */
  assetIds: ReadonlySet<string>;
  scheduleIds: ReadonlySet<string>;
  /** Stores that have another time zone, or none any more. */
  storeIds: ReadonlySet<string>;
  /** Targets on which something was deployed or no longer is, by `targetKey`. */
  deployedTargets: ReadonlyMap<string, Target>;
}

/** Rows that are read at once: about 3 ms. */
const BATCH_ROWS = 500;
/** Each has up to 500 rules and 1,000 targets. */
const BATCH_SCHEDULES = 20;

type YieldIfLong = () => Promise<void>;

/**
 * Reads everything that manifests are built from, in batches, awaiting `yieldIfLong` in between. It is the state of one
 * instant only if nothing is written meanwhile.
 */
export async function readAllContent(
  db: Db,
  deps: ManifestInputsDeps,
  yieldIfLong: YieldIfLong,
): Promise<ContentChange & { settings: ManifestSettings }> {
  const settings = await readSettings(db, deps);
  const schedules = await readSchedules(db, await scheduleRepository(db).listIds(), deps, yieldIfLong);
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
    (row) => itemsOf.get(row.playlist_id)?.push(toItem(row)),
    yieldIfLong,
  );
  const assets = new Map<string, AssetWithRendition>();
  await readInBatches(
    (after?: ManifestAssetRow) =>
      selectManifestAssets(db)
        .where(sql<SqlBool>`exists (select 1 from playlist_items where content_id = assets.id)`)
        .where('assets.id', '>', after?.id ?? '')
        .orderBy('assets.id')
        .limit(BATCH_ROWS)
        .execute(),
    (row) => assets.set(row.id, toAssetWithRendition(row, deps.assetUrl)),
    yieldIfLong,
  );
  const hashed = new Map<string, ContentPlaylist>();
  for (const { id, name, mode } of playlists) {
    const manifest = { id, name, mode, items: itemsOf.get(id) ?? [] };
    hashed.set(id, toHashedPlaylist(manifest, assets, deps));
    await yieldIfLong();
  }
  const deployments = new Map<string, CurrentDeployment>();
  await readInBatches(
    (after?: DeploymentOfTarget) => deploymentRepository(db).listAfter(after ?? null, BATCH_ROWS),
    (row) => deployments.set(targetKey(toTarget(row)), toDeployment(row)),
    yieldIfLong,
  );
  return {
    settings,
    schedules,
    playlists: hashed,
    storeZones: await storeRepository(db).zones(),
    deployments,
  };
}

/** Reads what was touched. Of the assets of a playlist those are not read again that `before` has and nothing has touched. */
export async function readContentChange(
  db: Db,
  touched: TouchedContent,
  before: ManifestContent | null,
  deps: ManifestInputsDeps,
  yieldIfLong: YieldIfLong,
): Promise<ContentChange> {
  const playlists = new Map<string, ContentPlaylist | null>();
  for (const id of touched.playlistIds) {
    playlists.set(id, await readPlaylist(db, id, keptAssets(before?.playlists.get(id), touched), deps));
    await yieldIfLong();
  }
  const found = await deploymentRepository(db).findByTargets([...touched.deployedTargets.values()]);
  const deployed = new Map(found.map((row) => [targetKey(toTarget(row)), toDeployment(row)]));
  return {
    settings: touched.hasNewSettings ? await readSettings(db, deps) : null,
    schedules: await readSchedules(db, [...touched.scheduleIds], deps, yieldIfLong),
    playlists,
    storeZones: new Map([
      ...[...touched.storeIds].map((id) => [id, null] as const),
      ...(await storeRepository(db).zones([...touched.storeIds])),
    ]),
    deployments: new Map([...touched.deployedTargets.keys()].map((key) => [key, deployed.get(key) ?? null])),
  };
}

async function readSettings(
  db: Db,
  { zoneTables, clock, mediaHosts, hash }: ManifestInputsDeps,
): Promise<ManifestSettings> {
  const { timezone, screenshots_allowed, screenshot_interval_minutes, renditions } = await db
    .selectFrom('organization')
    .select(['timezone', 'screenshots_allowed', 'screenshot_interval_minutes', 'renditions'])
    .executeTakeFirstOrThrow();
  const nowMs = clock.nowMs();
  return toSettings(
    {
      timezone,
      screenshotsAllowed: screenshots_allowed === 1,
      screenshotInterval: screenshot_interval_minutes,
      timezones: zoneTables.tableOf(timezone, nowMs),
      usesRenditions: renditions !== 'off',
      mediaHosts: mediaHosts(),
      findZone: (name) => zoneTables.findZone(name, nowMs),
    },
    hash,
  );
}

/** The schedules with these ids; null for one that does not exist. */
async function readSchedules(
  db: Db,
  ids: readonly string[],
  { hash }: ManifestInputsDeps,
  yieldIfLong: YieldIfLong,
): Promise<Map<string, ContentSchedule | null>> {
  const schedules = new Map<string, ContentSchedule | null>(ids.map((id) => [id, null]));
  for (const slice of slicesOf(ids, BATCH_SCHEDULES)) {
    for (const row of await scheduleRepository(db).findByIds(slice)) {
      const written = exceptionsAsWritten(row.rules.map(toRule));
      schedules.set(row.id, toContentSchedule(toManifestSchedule(row), row.is_active === 1, hash, written));
    }
    await yieldIfLong();
  }
  return schedules;
}

const keptAssets = (
  before: ContentPlaylist | undefined,
  { assetIds }: TouchedContent,
): Map<string, AssetWithRendition> =>
  new Map(
    before?.assets.flatMap((asset) =>
      asset && !assetIds.has(asset.id)
        ? [[asset.id, { asset, rendition: before.renditions.get(asset.id) }]]
        : [],
    ),
  );

const toHashedPlaylist = (
  manifest: ManifestPlaylist,
  assets: ReadonlyMap<string, AssetWithRendition>,
  { hash }: ManifestInputsDeps,
): ContentPlaylist =>
  toContentPlaylist(
    manifest,
    (id) => assets.get(id)?.asset,
    hash,
    (id) => assets.get(id)?.rendition,
  );

async function readPlaylist(
  db: Db,
  id: string,
  assets: Map<string, AssetWithRendition>,
  deps: ManifestInputsDeps,
): Promise<ContentPlaylist | null> {
  const row = await db.selectFrom('playlists').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) {
    return null;
  }
  const items = await db
    .selectFrom('playlist_items')
    .selectAll()
    .where('playlist_id', '=', id)
    .orderBy('position')
    .orderBy('id')
    .execute();
  const missing = new Set(items.map((item) => item.content_id).filter((assetId) => !assets.has(assetId)));
  const rows = await queryInBatches([...missing], (slice) =>
    selectManifestAssets(db).where('assets.id', 'in', slice).execute(),
  );
  for (const row of rows) {
    assets.set(row.id, toAssetWithRendition(row, deps.assetUrl));
  }
  const manifest = { id, name: row.name, mode: row.mode, items: items.map(toItem) };
  return toHashedPlaylist(manifest, assets, deps);
}

/** Reads rows in batches, each starting after the last row of the previous one. */
async function readInBatches<T>(
  read: (after?: T) => Promise<T[]>,
  onRow: (row: T) => void,
  yieldIfLong: YieldIfLong,
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

const toItem = ({ id, content_id, duration, weight }: Row<'playlist_items'>) => ({
  id,
  content_id,
  duration,
  weight,
});

const toDeployment = (row: DeploymentOfTarget): CurrentDeployment => ({
  playlistId: row.playlist_id,
  deploymentId: row.deployment_id,
  createdAtMs: row.created_at,
});

function toManifestSchedule(schedule: ScheduleRow): ManifestSchedule {
  return {
    id: schedule.id,
    name: schedule.name,
    targets: schedule.targets,
    rules: schedule.rules.map(toTimedRule),
  };
}
