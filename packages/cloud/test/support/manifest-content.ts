import type {
  ManifestAsset,
  ManifestPlaylist,
  ManifestSchedule,
  ZoneTable,
  ZoneTransitions,
} from '@placard/protocol';
import { toWireDisplay } from '@placard/protocol';
import { targetKey, targetKeysOf } from '@placard/schedule';
import type { ContentRendition } from '../../src/domain/content-rendition.ts';
import type { ManifestDevice } from '../../src/domain/manifest-builder.ts';
import {
  applyContentChange,
  emptyContent,
  toContentPlaylist,
  toContentSchedule,
  toSettings,
} from '../../src/domain/manifest-content.ts';
import type { CurrentDeployment, HashFunction, ManifestContent } from '../../src/domain/manifest-content.ts';

/** Everything that manifests are built from, without anything computed from it. */
export interface ManifestInputs {
  timezone: string;
  timezones: ZoneTable;
  mediaHosts: readonly string[];
  /** Active schedules, ordered by id. */
  schedules: readonly ManifestSchedule[];
  inactiveSchedules: readonly ManifestSchedule[];
  playlists: ReadonlyMap<string, ManifestPlaylist>;
  assets: ReadonlyMap<string, ManifestAsset>;
  /** By the id of the asset. */
  renditions?: ReadonlyMap<string, ContentRendition>;
  deploymentByTarget: ReadonlyMap<string, CurrentDeployment>;
  /** By the id of the store. */
  storeZones?: ReadonlyMap<string, string>;
  /** Offsets of those zones. */
  findZone?: (timezone: string) => ZoneTransitions | null;
}

export function contentOf(inputs: ManifestInputs, hash: HashFunction): ManifestContent {
  const { timezone, timezones, mediaHosts, schedules, inactiveSchedules, playlists, assets } = inputs;
  const settings = toSettings(
    {
      timezone,
      timezones,
      mediaHosts,
      screenshotsAllowed: true,
      screenshotInterval: null,
      usesRenditions: true,
      findZone: inputs.findZone ?? (() => null),
    },
    hash,
  );
  return applyContentChange(emptyContent(settings), {
    settings,
    schedules: new Map([
      ...schedules.map((each) => [each.id, toContentSchedule(each, true, hash)] as const),
      ...inactiveSchedules.map((each) => [each.id, toContentSchedule(each, false, hash)] as const),
    ]),
    playlists: new Map(
      [...playlists].map(([id, each]) => [
        id,
        toContentPlaylist(
          each,
          (assetId) => assets.get(assetId),
          hash,
          (assetId) => inputs.renditions?.get(assetId),
        ),
      ]),
    ),
    storeZones: inputs.storeZones ?? new Map(),
    deployments: inputs.deploymentByTarget,
  });
}

/** What the content was made of, read back from it. */
export function inputsOf({
  settings,
  schedules,
  playlists,
  storeZones,
  targets,
}: ManifestContent): ManifestInputs {
  const all = [...schedules.values()];
  return {
    timezone: settings.timezone,
    timezones: settings.timezones,
    mediaHosts: settings.mediaHosts,
    schedules: all.filter(({ isActive }) => isActive).map(({ manifest }) => manifest),
    inactiveSchedules: all.filter(({ isActive }) => !isActive).map(({ manifest }) => manifest),
    storeZones,
    findZone: settings.findZone,
    playlists: new Map([...playlists].map(([id, { manifest }]) => [id, manifest])),
    assets: new Map(
      [...playlists.values()].flatMap(({ assets }) =>
        assets.flatMap((asset) => (asset ? [[asset.id, asset] as const] : [])),
      ),
    ),
    deploymentByTarget: new Map(
      [...targets].flatMap(([key, { deployment }]) => (deployment ? [[key, deployment] as const] : [])),
    ),
  };
}

/**
 * Reference implementation: the revision of one device as the first version computed it and stored it for each device,
 * without any caching.
 */
export function expectedRevision(inputs: ManifestInputs, device: ManifestDevice, hash: HashFunction): string {
  const keys = new Set(targetKeysOf(device));
  const schedules = inputs.schedules
    .map((each) => ({ ...each, targets: each.targets.filter((target) => keys.has(targetKey(target))) }))
    .filter(({ targets }) => targets.length > 0);
  const [newest] = [...inputs.deploymentByTarget]
    .flatMap(([key, deployment]) => (keys.has(key) ? [deployment] : []))
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.deploymentId < b.deploymentId ? 1 : -1));
  const base = newest?.playlistId ?? null;
  const zone = inputs.storeZones?.get(device.store_id ?? '');
  const usesZone = schedules.some(({ rules }) => rules.some((rule) => rule.local_time));
  const transitions = zone !== undefined && usesZone ? inputs.findZone?.(zone) : null;
  const ids = schedules.flatMap(({ rules }) => rules.map(({ playlist_id: id }) => id));
  return hash(
    JSON.stringify([
      hash(JSON.stringify([inputs.timezone, inputs.timezones, inputs.mediaHosts])),
      {
        id: device.id,
        name: device.name,
        orientation: device.orientation,
        display: toWireDisplay(device.display),
        menu_pin_hash: device.menu_pin_hash,
      },
      base,
      schedules.map((each) => [hash(JSON.stringify({ ...each, targets: null })), each.targets]),
      [...new Set(base === null ? ids : [...ids, base])]
        .toSorted()
        .map((id) =>
          hash(
            JSON.stringify([
              inputs.playlists.get(id) ?? null,
              inputs.playlists.get(id)?.items.map((item) => inputs.assets.get(item.content_id) ?? null),
            ]),
          ),
        ),
      ...(transitions ? [hash(JSON.stringify({ name: zone, transitions }))] : []),
    ]),
  );
}
