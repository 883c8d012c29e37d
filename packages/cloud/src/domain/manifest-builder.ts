import { toWireDisplay } from '@placard/protocol';
import type {
  DisplaySettings,
  Manifest,
  ManifestAsset,
  ManifestPlaylist,
  ManifestSchedule,
  Orientation,
  ZoneTable,
} from '@placard/protocol';
import { targetKey, targetKeysOf } from '@placard/schedule';
import type { DeviceMembership } from '@placard/schedule';
import { setMostRecent } from './lru-map.ts';

/** Everything that manifests are built from. */
export interface ManifestInputs {
  timezone: string;
  /** UTC offsets of the time zones in use. */
  timezones: ZoneTable;
  /** Hosts that serve the media files, with the port unless it is the default. */
  mediaHosts: readonly string[];
  /** Active schedules, ordered by id. */
  schedules: readonly ManifestSchedule[];
  /** Inactive schedules, ordered by id: not part of any manifest, but needed to explain why they do not show. */
  inactiveSchedules: readonly ManifestSchedule[];
  playlists: ReadonlyMap<string, ManifestPlaylist>;
  assets: ReadonlyMap<string, ManifestAsset>;
  /** The current deployment of each target, by `targetKey`. */
  deploymentByTarget: ReadonlyMap<string, { playlistId: string; deploymentId: string; createdAtMs: number }>;
}

/** The device's own part of its manifest, and what determines which content targets it. */
export interface ManifestDevice extends DeviceMembership {
  name: string;
  orientation: Orientation;
  display: DisplaySettings;
  /** Hash of the technician menu's PIN, or null. */
  menu_pin_hash: string | null;
}

export type HashFunction = (text: string) => string;

export interface ManifestBuilder {
  inputs: ManifestInputs;
  /** The playlist deployed to the device, or null. */
  basePlaylistIdOf(device: DeviceMembership): string | null;
  /** Equal content, equal revision. */
  revisionOf(device: ManifestDevice): string;
  /**
   * Revisions of many devices, grouped so that parts shared by several devices are hashed once. `pause` yields to the
   * event loop in between.
   */
  revisionsOf(
    devices: readonly ManifestDevice[],
    pause: () => Promise<void>,
  ): Promise<Map<ManifestDevice, string>>;
  manifestOf(device: ManifestDevice): Manifest;
  /**
   * The manifest as UTF-8 JSON, in parts. After a change all devices fetch at once; devices with the same content
   * share the buffer of the large part.
   */
  manifestJsonOf(device: ManifestDevice): { revision: string; json: Buffer[] };
}

/** Number of shared parts kept in memory. */
const MAX_SHARED_PARTS = 16;

/** The part of the manifest that is equal for all devices with the same matching targets and base playlist. */
interface SharedPart {
  /** The JSON that is hashed for the revision, without the leading device part. */
  revisionJson: string;
  /** The manifest JSON without the leading device part; null until first needed. */
  manifestJson: Buffer | null;
}

/**
 * Builds manifests. The revision is a hash over the hashes of the parts, so that 10,000 devices cost 10,000 short
 * hashes instead of 10,000 serialized manifests.
 */
export function createManifestBuilder(inputs: ManifestInputs, hash: HashFunction): ManifestBuilder {
  const playlistHashes = memoize((id: string) => {
    const playlist = inputs.playlists.get(id);
    const assets = playlist?.items.map((item) => inputs.assets.get(item.content_id) ?? null);
    return hash(JSON.stringify([playlist ?? null, assets]));
  });
  const scheduleHashes = new Map(
    inputs.schedules.map((schedule) => [schedule.id, hash(JSON.stringify({ ...schedule, targets: null }))]),
  );

  const basePlaylistIdOf = (device: DeviceMembership): string | null => {
    let newest: { playlistId: string; deploymentId: string; createdAtMs: number } | undefined;
    for (const key of targetKeysOf(device)) {
      const candidate = inputs.deploymentByTarget.get(key);
      if (!candidate) {
        continue;
      }
      const isNewer =
        !newest ||
        candidate.createdAtMs > newest.createdAtMs ||
        (candidate.createdAtMs === newest.createdAtMs && candidate.deploymentId > newest.deploymentId);
      if (isNewer) {
        newest = candidate;
      }
    }
    return newest?.playlistId ?? null;
  };

  /**
   * Positions of schedules and targets by `targetKey`, so that a device looks up its own keys instead of scanning all
   * targets.
   */
  const targetIndex = Map.groupBy(
    inputs.schedules.flatMap(({ targets }, schedule) =>
      targets.map((each, target) => ({ schedule, target, key: targetKey(each) })),
    ),
    ({ key }) => key,
  );

  /** The schedules that target the device, each with the matching targets only, in their original order. */
  const schedulesTargeting = (device: ManifestDevice): ManifestSchedule[] => {
    const found = new Map<number, number[]>();
    for (const key of new Set(targetKeysOf(device))) {
      for (const { schedule, target } of targetIndex.get(key) ?? []) {
        found.set(schedule, [...(found.get(schedule) ?? []), target]);
      }
    }
    return [...found]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([index, targets]) => {
        const schedule = inputs.schedules[index];
        const ordered = targets.toSorted((a, b) => a - b).flatMap((at) => schedule?.targets[at] ?? []);
        return schedule ? [{ ...schedule, targets: ordered }] : [];
      });
  };

  const selectContent = (device: ManifestDevice) => {
    const schedules = schedulesTargeting(device);
    const base = basePlaylistIdOf(device);
    const neededPlaylistIds = new Set(
      schedules.flatMap((schedule) => schedule.rules.map((rule) => rule.playlist_id)),
    );
    if (base !== null) {
      neededPlaylistIds.add(base);
    }
    return { schedules, base, playlistIds: [...neededPlaylistIds].toSorted() };
  };

  /** Devices with equal keys have equal shared parts. */
  const sharedKeyOf = (device: ManifestDevice): string =>
    JSON.stringify([
      basePlaylistIdOf(device),
      targetKeysOf(device)
        .filter((key) => targetIndex.has(key))
        .toSorted(),
    ]);
  const sharedParts = new Map<string, SharedPart>();
  const sharedPartOf = (device: ManifestDevice, selection?: ReturnType<typeof selectContent>): SharedPart => {
    const key = sharedKeyOf(device);
    const found = sharedParts.get(key) ?? {
      revisionJson: revisionJsonOf(selection ?? selectContent(device)),
      manifestJson: null,
    };
    setMostRecent(sharedParts, key, found, MAX_SHARED_PARTS);
    return found;
  };

  const revisionJsonOf = ({ schedules, base, playlistIds }: ReturnType<typeof selectContent>): string =>
    JSON.stringify([
      base,
      schedules.map((schedule) => [scheduleHashes.get(schedule.id), schedule.targets]),
      playlistIds.map(playlistHashes),
    ]).slice(1);
  const inputsHash = JSON.stringify(
    hash(JSON.stringify([inputs.timezone, inputs.timezones, inputs.mediaHosts])),
  );
  const revisionOf = (device: ManifestDevice): string =>
    hash(`[${inputsHash},${JSON.stringify(manifestHeaderOf(device))},${sharedPartOf(device).revisionJson}`);

  /** The manifest without its device part. */
  const sharedManifestOf = ({ schedules, base, playlistIds }: ReturnType<typeof selectContent>) => {
    const playlists = playlistIds.flatMap((id) => inputs.playlists.get(id) ?? []);
    const assetIds = new Set(playlists.flatMap((playlist) => playlist.items.map((item) => item.content_id)));
    return {
      organization: { timezone: inputs.timezone },
      base_playlist_id: base,
      schedules,
      playlists,
      assets: [...assetIds].toSorted().flatMap((id) => inputs.assets.get(id) ?? []),
      timezones: inputs.timezones,
      media_hosts: [...inputs.mediaHosts],
    };
  };

  return {
    inputs,
    basePlaylistIdOf,
    revisionOf,
    async revisionsOf(devices, yieldToEventLoop) {
      const revisions = new Map<ManifestDevice, string>();
      const hashedPlaylistIds = new Set<string>();
      // Group by group, so that a shared part is built once even if there are more groups than cache entries.
      for (const group of Map.groupBy(devices, sharedKeyOf).values()) {
        const [first] = group;
        if (!first) {
          continue;
        }
        const content = selectContent(first);
        for (const id of content.playlistIds) {
          if (hashedPlaylistIds.has(id)) {
            continue;
          }
          hashedPlaylistIds.add(id);
          playlistHashes(id);
          await yieldToEventLoop();
        }
        sharedPartOf(first, content);
        for (const device of group) {
          revisions.set(device, revisionOf(device));
          await yieldToEventLoop();
        }
      }
      return revisions;
    },
    manifestOf: (device) => ({
      revision: revisionOf(device),
      device: manifestHeaderOf(device),
      ...sharedManifestOf(selectContent(device)),
    }),
    manifestJsonOf(device) {
      const revision = revisionOf(device);
      const found = sharedPartOf(device);
      found.manifestJson ??= Buffer.from(JSON.stringify(sharedManifestOf(selectContent(device))).slice(1));
      const deviceJson = JSON.stringify({ revision, device: manifestHeaderOf(device) });
      return {
        revision,
        json: [Buffer.from(`${deviceJson.slice(0, -1)},`), found.manifestJson],
      };
    },
  };
}

function memoize<K, V>(compute: (key: K) => V): (key: K) => V {
  const results = new Map<K, V>();
  return (key) => {
    const cached = results.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const value = compute(key);
    results.set(key, value);
    return value;
  };
}

const manifestHeaderOf = (device: ManifestDevice): Manifest['device'] => ({
  id: device.id,
  name: device.name,
  orientation: device.orientation,
  display: toWireDisplay(device.display),
  menu_pin_hash: device.menu_pin_hash,
});
