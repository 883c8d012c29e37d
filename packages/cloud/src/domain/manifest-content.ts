import type {
  ManifestAsset,
  ManifestPlaylist,
  ManifestSchedule,
  ZoneTable,
  ZoneTransitions,
} from '@placard/protocol';
import { createPlaylistCopies } from './content-rendition.ts';
import type { ContentRendition, PlaylistCopies } from './content-rendition.ts';
import type { WrittenExceptions } from './manifest-rule.ts';
import { targetKey } from '@placard/schedule';

export type HashFunction = (text: string) => string;

/** What is equal in the manifests of all devices. */
export interface ManifestSettings {
  readonly timezone: string;
  readonly screenshotsAllowed: boolean;
  /** Minutes; null: never. */
  readonly screenshotInterval: number | null;
  /** UTC offsets of that zone. */
  readonly timezones: ZoneTable;
  /** UTC offsets of any other zone, over the same years; null when this runtime does not know it. */
  readonly findZone: (timezone: string) => ZoneTransitions | null;
  /** Whether devices get renditions in place of files that they cannot play. */
  readonly usesRenditions: boolean;
  /** Hosts that serve the media files, with the port unless it is the default. */
  readonly mediaHosts: readonly string[];
  readonly hash: string;
}

/** A playlist with the asset of each item; null where there is none. */
export interface ContentPlaylist {
  readonly manifest: ManifestPlaylist;
  readonly assets: readonly (ManifestAsset | null)[];
  /** Copies of these, by the id of the asset. The hash does not depend on them. */
  readonly renditions: ReadonlyMap<string, ContentRendition>;
  /** Null without any. */
  readonly copies: PlaylistCopies | null;
  readonly hash: string;
}

/** A schedule; an inactive one is in no manifest, but needed to explain why it does not show. */
export interface ContentSchedule {
  readonly manifest: ManifestSchedule;
  readonly isActive: boolean;
  /** Whether one of its rules is read in the zone of the store. */
  readonly usesLocalTime: boolean;
  /** By rule: what the manifest has in another form, see `toManifestRule`. */
  readonly exceptionsAsWritten: ReadonlyMap<string, WrittenExceptions>;
  /** Without the targets: each device gets those that match it. */
  readonly hash: string;
}

export interface CurrentDeployment {
  readonly playlistId: string;
  readonly deploymentId: string;
  readonly createdAtMs: number;
}

/**
 * What reaches devices through one target. Another object as soon as anything has changed that is reached through it, so
 * what was computed from it is valid as long as it is the same object.
 */
export interface TargetContent {
  /** The active schedules with this target, ordered by id, and the position of the target in each. */
  readonly schedules: readonly { readonly schedule: ContentSchedule; readonly position: number }[];
  readonly deployment: CurrentDeployment | null;
}

/** Everything that manifests are built from; never changed, but replaced by `applyContentChange`. */
export interface ManifestContent {
  readonly settings: ManifestSettings;
  /** Ordered by id. */
  readonly schedules: ReadonlyMap<string, ContentSchedule>;
  readonly playlists: ReadonlyMap<string, ContentPlaylist>;
  /** Time zones by the id of the store; of those that have one. */
  readonly storeZones: ReadonlyMap<string, string>;
  /** By `targetKey`; only targets through which something reaches devices. */
  readonly targets: ReadonlyMap<string, TargetContent>;
}

/** The state after a change of everything that it touched; null for what no longer exists. */
export interface ContentChange {
  readonly settings: ManifestSettings | null;
  readonly schedules: ReadonlyMap<string, ContentSchedule | null>;
  readonly playlists: ReadonlyMap<string, ContentPlaylist | null>;
  /** Null also for a store without a zone. */
  readonly storeZones: ReadonlyMap<string, string | null>;
  /** By `targetKey`. */
  readonly deployments: ReadonlyMap<string, CurrentDeployment | null>;
}

export function toSettings(settings: Omit<ManifestSettings, 'hash'>, hash: HashFunction): ManifestSettings {
  const { timezone, timezones, mediaHosts, screenshotsAllowed, screenshotInterval } = settings;
  const hashed = [
    timezone,
    timezones,
    mediaHosts,
    ...(screenshotsAllowed ? [] : ['no screenshots']),
    ...(screenshotInterval === null ? [] : [`screenshot every ${screenshotInterval} min`]),
  ];
  return { ...settings, hash: hash(JSON.stringify(hashed)) };
}

const NO_RENDITIONS: ReadonlyMap<string, ContentRendition> = new Map();

export function toContentPlaylist(
  manifest: ManifestPlaylist,
  assetOf: (id: string) => ManifestAsset | undefined,
  hash: HashFunction,
  renditionOf: (id: string) => ContentRendition | undefined = () => undefined,
): ContentPlaylist {
  const assets = manifest.items.map((item) => assetOf(item.content_id) ?? null);
  const found = manifest.items.flatMap(({ content_id: id }) => renditionOf(id) ?? []);
  const renditions =
    found.length === 0 ? NO_RENDITIONS : new Map(found.map((rendition) => [rendition.asset.id, rendition]));
  return {
    manifest,
    assets,
    renditions,
    copies: found.length === 0 ? null : createPlaylistCopies([...renditions.values()], hash),
    hash: hash(JSON.stringify([manifest, assets])),
  };
}

export const toContentSchedule = (
  manifest: ManifestSchedule,
  isActive: boolean,
  hash: HashFunction,
  exceptionsAsWritten: ContentSchedule['exceptionsAsWritten'] = new Map(),
): ContentSchedule => ({
  manifest,
  isActive,
  usesLocalTime: manifest.rules.some((rule) => rule.local_time === true),
  exceptionsAsWritten,
  hash: hash(JSON.stringify({ ...manifest, targets: null })),
});

/** Content without anything to show. */
export const emptyContent = (settings: ManifestSettings): ManifestContent => ({
  settings,
  schedules: new Map(),
  playlists: new Map(),
  storeZones: new Map(),
  targets: new Map(),
});

/**
 * The content after the change. Maps are copied (30,000 targets at most: 2 ms), so that a transaction can compute with
 * what it has not committed, and an explanation with what has been replaced meanwhile.
 */
export function applyContentChange(content: ManifestContent, change: ContentChange): ManifestContent {
  return {
    settings: change.settings ?? content.settings,
    schedules:
      change.schedules.size === 0
        ? content.schedules
        : new Map([...merge(content.schedules, change.schedules)].toSorted(([a], [b]) => compareText(a, b))),
    playlists: merge(content.playlists, change.playlists),
    storeZones: merge(content.storeZones, change.storeZones),
    targets: applyToTargets(content, change),
  };
}

/** Keys of the targets through which something that has changed reaches devices, or did before. */
export function touchedTargetKeys(content: ManifestContent, change: ContentChange): Set<string> {
  const keys = new Set(change.deployments.keys());
  const addTargetsOf = (schedule: ContentSchedule | null | undefined) => {
    for (const target of schedule?.isActive ? schedule.manifest.targets : []) {
      keys.add(targetKey(target));
    }
  };
  for (const [id, schedule] of change.schedules) {
    addTargetsOf(content.schedules.get(id));
    addTargetsOf(schedule);
  }
  for (const key of change.playlists.size === 0 ? [] : targetKeysShowing(content, change.playlists)) {
    keys.add(key);
  }
  return keys;
}

/** Keys of the targets through which active schedules or deployments show one of the playlists. */
export function targetKeysShowing(
  { schedules, targets }: Pick<ManifestContent, 'schedules' | 'targets'>,
  playlists: Pick<ReadonlySet<string>, 'has'>,
): Set<string> {
  const keys = new Set<string>();
  for (const { isActive, manifest } of schedules.values()) {
    if (isActive && manifest.rules.some((rule) => playlists.has(rule.playlist_id))) {
      for (const target of manifest.targets) {
        keys.add(targetKey(target));
      }
    }
  }
  for (const [key, { deployment }] of targets) {
    if (deployment && playlists.has(deployment.playlistId)) {
      keys.add(key);
    }
  }
  return keys;
}

function applyToTargets(content: ManifestContent, change: ContentChange): ManifestContent['targets'] {
  const touched = touchedTargetKeys(content, change);
  if (touched.size === 0) {
    return content.targets;
  }
  const added = Map.groupBy(
    [...change.schedules.values()].flatMap((schedule) =>
      schedule?.isActive
        ? schedule.manifest.targets.map((target, position) => ({
            schedule,
            position,
            key: targetKey(target),
          }))
        : [],
    ),
    ({ key }) => key,
  );
  const targets = new Map(content.targets);
  for (const key of touched) {
    const before = content.targets.get(key);
    const schedules = [
      ...(before?.schedules ?? []).filter(({ schedule }) => !change.schedules.has(schedule.manifest.id)),
      ...(added.get(key) ?? []).map(({ schedule, position }) => ({ schedule, position })),
    ].toSorted((a, b) => compareText(a.schedule.manifest.id, b.schedule.manifest.id));
    const deployed = change.deployments.get(key);
    const deployment = deployed === undefined ? (before?.deployment ?? null) : deployed;
    if (schedules.length === 0 && deployment === null) {
      targets.delete(key);
    } else {
      targets.set(key, { schedules, deployment });
    }
  }
  return targets;
}

function merge<V>(
  before: ReadonlyMap<string, V>,
  change: ReadonlyMap<string, V | null>,
): ReadonlyMap<string, V> {
  if (change.size === 0) {
    return before;
  }
  const merged = new Map(before);
  for (const [id, value] of change) {
    if (value === null) {
      merged.delete(id);
    } else {
      merged.set(id, value);
    }
  }
  return merged;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
