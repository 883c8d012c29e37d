import { targetSpecificity } from '@placard/schedule';
import type { DeviceClass } from './device-classes.ts';
import type { ManifestBuilder, ManifestDevice } from './manifest-builder.ts';

/** Manifests without a change and with it. */
export type Builders = Record<'before' | 'after', ManifestBuilder>;

interface NamedDevice {
  id: string;
  name: string;
}

interface DevicesOfBase {
  before: string | null;
  after: string | null;
  devices: NamedDevice[];
}

/** Devices that the same schedules reach with the same precedence, before and after a change. */
export interface ReachedAlike {
  /** Any of them. */
  sample: ManifestDevice;
  /** The devices by their base playlists before and after. */
  byBase: Map<string, DevicesOfBase>;
}

/** Sorts devices by what reaches them before and after a change: of 10,000 devices few differ in more than their ids. */
export function createReachedDevices(builders: Builders) {
  const alike = new Map<string, ReachedAlike>();
  const byClasses = new Map<DeviceClass, Map<DeviceClass, DevicesOfBase>>();

  const find = (device: ManifestDevice): DevicesOfBase => {
    const key = JSON.stringify([schedulesOf(builders.before, device), schedulesOf(builders.after, device)]);
    const reached = alike.get(key) ?? { sample: device, byBase: new Map() };
    alike.set(key, reached);
    const before = builders.before.basePlaylistIdOf(device);
    const after = builders.after.basePlaylistIdOf(device);
    const baseKey = JSON.stringify([before, after]);
    const found: DevicesOfBase = reached.byBase.get(baseKey) ?? { before, after, devices: [] };
    reached.byBase.set(baseKey, found);
    return found;
  };

  return {
    add(device: ManifestDevice): void {
      const [before, after] = [builders.before.classOf(device), builders.after.classOf(device)];
      const ofBefore = byClasses.get(before) ?? new Map<DeviceClass, DevicesOfBase>();
      byClasses.set(before, ofBefore);
      const found = ofBefore.get(after) ?? find(device);
      ofBefore.set(after, found);
      found.devices.push({ id: device.id, name: device.name });
    },
    /** Those that are many first. */
    list: (): ReachedAlike[] => [...alike.values()].toSorted((a, b) => countOf(b) - countOf(a)),
  };
}

/** What decides which rule wins on a device, and when. */
const schedulesOf = (manifests: ManifestBuilder, device: ManifestDevice) => [
  manifests.partOf(manifests.classOf(device)).localZone?.name ?? null,
  ...manifests
    .schedulesTargeting(device)
    .map(({ manifest }) => [manifest.id, targetSpecificity(manifest.targets, deviceOnly(device))]),
];

/** The base playlist decides nothing among rules. */
const deviceOnly = ({ id, store_id, tags }: ManifestDevice) => ({
  id,
  store_id,
  tags,
  base_playlist_id: null,
});

const countOf = ({ byBase }: ReachedAlike): number =>
  [...byBase.values()].reduce((sum, { devices }) => sum + devices.length, 0);
