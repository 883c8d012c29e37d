import { toWireDisplay } from '@placard/protocol';
import type { DisplaySettings, Manifest, ManifestSchedule, Orientation, ZoneTable } from '@placard/protocol';
import { targetKeysOf } from '@placard/schedule';
import type { DeviceMembership } from '@placard/schedule';
import type { PlaylistCopies } from './content-rendition.ts';
import { createDeviceClasses } from './device-classes.ts';
import type { DeviceClass, DeviceClasses, LocalZone, SharedPart } from './device-classes.ts';
import { chosenAsset, partWithRenditions } from './manifest-renditions.ts';
import type {
  ContentSchedule,
  CurrentDeployment,
  HashFunction,
  ManifestContent,
} from './manifest-content.ts';

/** The device's own part of its manifest. */
export interface DeviceHeader {
  id: string;
  name: string;
  orientation: Orientation;
  display: DisplaySettings;
  /** Hash of the technician menu's PIN, or null. */
  menu_pin_hash: string | null;
  screenshots_allowed: boolean;
  /** Minutes; 0: never; null: as the organization says. */
  screenshot_interval_minutes: number | null;
}

/** The device's own part of its manifest, and what determines which content targets it. */
export interface ManifestDevice extends DeviceHeader, DeviceMembership {
  /** What it can play, as `encodeDecoders` writes it; null: not reported. */
  decoders: string | null;
}

/** A device with its class, which `classOf` found by its membership. */
export interface ClassifiedDevice extends DeviceHeader, Pick<ManifestDevice, 'decoders'> {
  deviceClass: DeviceClass;
}

export interface ManifestBuilder {
  content: ManifestContent;
  /** The playlist deployed to the device, or null. */
  basePlaylistIdOf(device: DeviceMembership): string | null;
  /** What devices of the class show at some time: the deployed playlist and those of their rules. */
  playlistIdsOf(deviceClass: DeviceClass): readonly string[];
  /** The active schedules that target the device, ordered by id. */
  schedulesTargeting(device: DeviceMembership): ContentSchedule[];
  /** Equal content, equal revision. */
  revisionOf(device: ManifestDevice): string;
  manifestOf(device: ManifestDevice): Manifest;
  classOf(device: DeviceMembership): DeviceClass;
  /** The class of devices with the same targets in a store; it changes with the zone of the store. */
  inStore(deviceClass: DeviceClass, storeId: string | null): DeviceClass;
  /** The shared part of the class: the same object as before unless its content has changed. */
  partOf(deviceClass: DeviceClass): SharedPart;
  /** That of the devices in it that can play this, some of which get copies of its files. */
  partFor(device: Pick<ClassifiedDevice, 'deviceClass' | 'decoders'>): SharedPart;
  revisionIn(header: DeviceHeader, part: SharedPart): string;
  /**
   * The manifest as UTF-8 JSON, in parts. After a change all devices fetch at once; devices with the same content
   * share the buffer of the large part.
   */
  manifestJsonOf(device: ClassifiedDevice): { revision: string; json: Buffer[] };
}

/** Of most parts. */
const NONE_COPIED: readonly PlaylistCopies[] = [];
const NO_CHOICES: SharedPart['choices'] = [];

/**
 * Builds manifests. Devices that are reached alike are a class and share all of their manifests but the header, and the
 * revision is a hash over the hashes of the parts: deriving the one of a device whose class was computed before takes
 * 4 µs, so revisions are derived when they are asked for and not stored.
 *
 * `classes` is kept from one content to the next: an edit recomputes the classes that it touches.
 */
export function createManifestBuilder(
  content: ManifestContent,
  hash: HashFunction,
  classes: DeviceClasses = createDeviceClasses(),
): ManifestBuilder {
  const { settings, playlists, targets, storeZones } = content;
  const settingsHashJson = JSON.stringify(settings.hash);

  const select = ({ targetKeys, timezone }: DeviceClass) => {
    const positions = new Map<ContentSchedule, number[]>();
    let newest: CurrentDeployment | null = null;
    for (const key of targetKeys) {
      const target = targets.get(key);
      for (const { schedule, position } of target?.schedules ?? []) {
        positions.set(schedule, [...(positions.get(schedule) ?? []), position]);
      }
      newest = newerOf(newest, target?.deployment ?? null);
    }
    const schedules = [...positions]
      .toSorted(([a], [b]) => (a.manifest.id < b.manifest.id ? -1 : 1))
      .map(([schedule, at]) => ({
        schedule,
        // Each with the matching targets only, in their original order.
        targets: at.toSorted((a, b) => a - b).flatMap((each) => schedule.manifest.targets[each] ?? []),
      }));
    const basePlaylistId = newest?.playlistId ?? null;
    const playlistIds = new Set(
      schedules.flatMap(({ schedule }) => schedule.manifest.rules.map((rule) => rule.playlist_id)),
    );
    if (basePlaylistId !== null) {
      playlistIds.add(basePlaylistId);
    }
    const usesLocalTime = schedules.some(({ schedule }) => schedule.usesLocalTime);
    return {
      schedules,
      basePlaylistId,
      playlistIds: [...playlistIds].toSorted(),
      usesLocalTime,
      localZone: usesLocalTime && timezone !== null ? findLocalZone(timezone) : null,
    };
  };

  const findLocalZone = (name: string): LocalZone | null => {
    const transitions = settings.findZone(name);
    return transitions ? { name, transitions } : null;
  };

  const computePart = (deviceClass: DeviceClass): SharedPart => {
    const { schedules, basePlaylistId, playlistIds, usesLocalTime, localZone } = select(deviceClass);
    const found = playlistIds.flatMap((id) => playlists.get(id)?.copies ?? []);
    const copied = found.length === 0 ? NONE_COPIED : found;
    return {
      identity: {},
      sources: deviceClass.targetKeys.map((key) => targets.get(key)),
      settings,
      usesLocalTime,
      localZone,
      basePlaylistId,
      revisionJson: JSON.stringify([
        basePlaylistId,
        schedules.map((each) => [each.schedule.hash, each.targets]),
        playlistIds.map((id) => playlists.get(id)?.hash ?? hash('[null,null]')),
        ...(localZone ? [hash(JSON.stringify(localZone))] : []),
      ]).slice(1),
      copied,
      copiedKey: copied.map((copies) => copies.hash).join(' '),
      choices: NO_CHOICES,
      variants: null,
    };
  };

  const partOf = (deviceClass: DeviceClass): SharedPart => {
    const withoutZone = deviceClass.withoutZone && partOf(deviceClass.withoutZone);
    if (withoutZone && !withoutZone.usesLocalTime) {
      return withoutZone;
    }
    const known = deviceClass.part;
    // Asked for each connected device after each edit: comparing objects takes 0.1 µs, computing the part 5 µs and more.
    if (
      known?.settings === settings &&
      deviceClass.targetKeys.every((key, index) => targets.get(key) === known.sources[index])
    ) {
      return known;
    }
    const part = computePart(deviceClass);
    if (
      known?.revisionJson === part.revisionJson &&
      known.settings.hash === settings.hash &&
      known.copiedKey === part.copiedKey
    ) {
      // Equal content stays the same object, so that nobody derives revisions from it again.
      known.sources = part.sources;
      known.settings = settings;
      return known;
    }
    classes.setPart(deviceClass, part);
    return part;
  };

  const partFor: ManifestBuilder['partFor'] = ({ deviceClass, decoders }) => {
    const part = partOf(deviceClass);
    return settings.usesRenditions && part.copied.length > 0
      ? partWithRenditions(part, decoders, hash)
      : part;
  };

  const zoneOfStore = (storeId: string | null): string | null =>
    storeId === null ? null : (storeZones.get(storeId) ?? null);

  const classOf = (device: DeviceMembership): DeviceClass =>
    classes.of(
      [...new Set(targetKeysOf(device))].filter((key) => targets.has(key)).toSorted(),
      zoneOfStore(device.store_id),
    );

  const revisionIn = (header: DeviceHeader, { revisionJson }: SharedPart): string =>
    hash(`[${settingsHashJson},${JSON.stringify(toManifestHeader(header))},${revisionJson}`);

  /** The manifest without its device part. */
  const sharedManifestOf = (deviceClass: DeviceClass, part: SharedPart) => {
    const { schedules, basePlaylistId, playlistIds, localZone } = select(deviceClass);
    const selected = playlistIds.flatMap((id) => playlists.get(id) ?? []);
    const assets = new Map(
      selected.flatMap((playlist) =>
        playlist.assets.flatMap((asset) => (asset ? [[asset.id, chosenAsset(part, asset)]] : [])),
      ),
    );
    return {
      organization: {
        timezone: settings.timezone,
        ...toScreenshotSettings(settings.screenshotsAllowed, settings.screenshotInterval),
      },
      base_playlist_id: basePlaylistId,
      schedules: schedules.map((each): ManifestSchedule => ({
        ...each.schedule.manifest,
        targets: each.targets,
      })),
      playlists: selected.map((playlist) => playlist.manifest),
      assets: [...assets.keys()].toSorted().flatMap((id) => assets.get(id) ?? []),
      timezones: withZone(settings.timezones, localZone),
      ...(localZone ? { local_timezone: localZone.name } : {}),
      media_hosts: [...settings.mediaHosts],
    };
  };

  const partOfDevice = (device: ManifestDevice): SharedPart =>
    partFor({ deviceClass: classOf(device), decoders: device.decoders });

  const revisionOf = (device: ManifestDevice): string => revisionIn(device, partOfDevice(device));

  return {
    content,
    basePlaylistIdOf: (device) => partOf(classOf(device)).basePlaylistId,
    playlistIdsOf: (deviceClass) => select(deviceClass).playlistIds,
    schedulesTargeting: (device) => select(classOf(device)).schedules.map(({ schedule }) => schedule),
    revisionOf,
    manifestOf: (device) => ({
      revision: revisionOf(device),
      device: toManifestHeader(device),
      ...sharedManifestOf(classOf(device), partOfDevice(device)),
    }),
    classOf,
    inStore(deviceClass, storeId) {
      const timezone = zoneOfStore(storeId);
      return timezone === deviceClass.timezone ? deviceClass : classes.of(deviceClass.targetKeys, timezone);
    },
    partOf,
    partFor,
    revisionIn,
    manifestJsonOf(device) {
      const part = partFor(device);
      const revision = revisionIn(device, part);
      const body = classes.bodyOf(part, () =>
        Buffer.from(JSON.stringify(sharedManifestOf(device.deviceClass, part)).slice(1)),
      );
      const deviceJson = JSON.stringify({ revision, device: toManifestHeader(device) });
      return { revision, json: [Buffer.from(`${deviceJson.slice(0, -1)},`), body] };
    },
  };
}

/** The offsets of the zone of the organization, and of that of the store. */
export const withZone = (table: ZoneTable, zone: LocalZone | null): ZoneTable =>
  zone ? { ...table, zones: { ...table.zones, [zone.name]: zone.transitions } } : table;

/** The deployment that was made last; the id breaks ties. */
function newerOf(a: CurrentDeployment | null, b: CurrentDeployment | null): CurrentDeployment | null {
  if (!a || !b) {
    return a ?? b;
  }
  const isNewer =
    b.createdAtMs > a.createdAtMs || (b.createdAtMs === a.createdAtMs && b.deploymentId > a.deploymentId);
  return isNewer ? b : a;
}

const toManifestHeader = (device: DeviceHeader): Manifest['device'] => ({
  id: device.id,
  name: device.name,
  orientation: device.orientation,
  display: toWireDisplay(device.display),
  menu_pin_hash: device.menu_pin_hash,
  ...toScreenshotSettings(device.screenshots_allowed, device.screenshot_interval_minutes),
});

/** Only what somebody has set, so that manifests without it have the revision that they always had. */
const toScreenshotSettings = (isAllowed: boolean, interval: number | null) => ({
  ...(isAllowed ? {} : { screenshots_allowed: false }),
  ...(interval === null ? {} : { screenshot_interval_minutes: interval }),
});
