import type { ZoneTransitions } from '@placard/protocol';
import type { CopyChoice, PlaylistCopies } from './content-rendition.ts';
import { setMostRecent } from './lru-map.ts';
import type { ManifestSettings, TargetContent } from './manifest-content.ts';

/** The part of the manifest that the devices of a class share. */
export interface SharedPart {
  /** An empty object that tells it from any other part; whoever keeps it does not keep the part in memory. */
  readonly identity: object;
  /** What it was computed from: valid as long as these are the same objects. */
  sources: readonly (TargetContent | undefined)[];
  settings: ManifestSettings;
  /** Whether one of its rules is read in the zone of the store. */
  readonly usesLocalTime: boolean;
  /** That zone; null when no rule is, or the store has none. */
  readonly localZone: LocalZone | null;
  readonly basePlaylistId: string | null;
  /** The JSON that is hashed for the revision, without the leading device part. */
  readonly revisionJson: string;
  /** The copies of its playlists, of which some devices get some. */
  readonly copied: readonly PlaylistCopies[];
  /** Their hashes. */
  readonly copiedKey: string;
  /** What these devices get in place of assets; nothing in the part of the class itself. */
  readonly choices: readonly CopyChoice[];
  /** The parts of devices that get copies, as far as they were asked for; see `partWithRenditions`. */
  variants: PartVariants | null;
}

/** The parts of devices of one class. */
export interface PartVariants {
  readonly byDecoders: Map<string, SharedPart>;
  readonly byCopies: Map<string, SharedPart>;
}

/** A time zone with its offsets in the years that manifests cover. */
export interface LocalZone {
  readonly name: string;
  readonly transitions: ZoneTransitions;
}

/** Devices that are reached through the same targets, in stores with the same time zone. */
export interface DeviceClass {
  /** Keys of the targets, in order. */
  readonly targetKeys: readonly string[];
  /** Time zone of the stores; null: of devices without a store, or in one without a zone. */
  readonly timezone: string | null;
  /** The class with the same targets without a zone; null: this one is. Their parts are the same unless a rule needs the zone. */
  readonly withoutZone: DeviceClass | null;
  /** Null until first needed, and when many others were needed since. */
  part: SharedPart | null;
}

const MAX_CLASSES = 100_000;
/** Characters of all parts together. A part has 100 to 200 for each schedule and playlist of its class. */
const MAX_PART_CHARACTERS = 16 * 2 ** 20;
/** Number of serialized shared parts kept in memory; each can be megabytes. */
const MAX_BODIES = 16;

/** The classes of all devices, with their shared parts as far as they fit into memory. */
export function createDeviceClasses() {
  const classes = new Map<string, DeviceClass>();
  /** In the order in which they were computed. */
  const withPart = new Set<DeviceClass>();
  const bodies = new Map<SharedPart, Buffer>();
  let characters = 0;

  const dropPart = (deviceClass: DeviceClass): void => {
    characters -= deviceClass.part?.revisionJson.length ?? 0;
    deviceClass.part = null;
    withPart.delete(deviceClass);
  };

  return {
    /** The class of the devices that are reached through these targets and no others, in stores with this time zone. */
    of(targetKeys: readonly string[], timezone: string | null): DeviceClass {
      const key = JSON.stringify([timezone, ...targetKeys]);
      const found = classes.get(key);
      if (found) {
        return found;
      }
      const withoutZone = timezone === null ? null : this.of(targetKeys, null);
      const added: DeviceClass = { targetKeys, timezone, withoutZone, part: null };
      setMostRecent(classes, key, added, MAX_CLASSES);
      return added;
    },
    setPart(deviceClass: DeviceClass, part: SharedPart): void {
      dropPart(deviceClass);
      deviceClass.part = part;
      withPart.add(deviceClass);
      characters += part.revisionJson.length;
      for (const oldest of withPart) {
        if (characters <= MAX_PART_CHARACTERS || oldest === deviceClass) {
          break;
        }
        dropPart(oldest);
      }
    },
    /** The rest of the manifest as JSON, made by `serialize` unless it was among the last ones. */
    bodyOf(part: SharedPart, serialize: () => Buffer): Buffer {
      const body = bodies.get(part) ?? serialize();
      setMostRecent(bodies, part, body, MAX_BODIES);
      return body;
    },
  };
}

export type DeviceClasses = ReturnType<typeof createDeviceClasses>;
