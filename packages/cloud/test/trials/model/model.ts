import type { BulkOperation, Rule } from '@placard/protocol/api';
import type { Target } from '@placard/schedule';
import type { DisplaySettings, IdKind, ReportedState } from '@placard/protocol';

export interface StoreModel {
  name: string;
  city: string | null;
  tags: string[];
}
export interface FolderModel {
  name: string;
  parent: string | null;
}
export interface AssetModel {
  name: string;
  tags: string[];
  folder: string | null;
  sha256: string;
  type: 'image' | 'video';
}
export interface ItemModel {
  id: string;
  content: string;
  duration: number | null;
  weight: number | null;
}
export interface PlaylistModel {
  name: string;
  mode: 'sequential' | 'shuffle' | 'weighted';
  items: ItemModel[];
}
export interface ScheduleModel {
  name: string;
  active: boolean;
  rules: Rule[];
  targets: Target[];
}
export interface DeviceModel {
  name: string;
  store: string | null;
  tags: string[];
  orientation: string;
  display: DisplaySettings;
  menuPin: string | null;
  token: string;
  /** Times of accepted samples. */
  samples: Set<string>;
  /** As last reported; null if the report had none. */
  frames: ReportedState['frames'] | null;
  /** What the last heartbeat on its socket said; null if the next one must be complete. */
  stateOnSocket: ReportedState | null;
}
export interface CommandModel {
  device: string;
  command: string;
  /** Final status; never changes once set. */
  finished: 'succeeded' | 'failed' | null;
}

export interface WebhookModel {
  url: string;
  events: string[];
  active: boolean;
}

/** The documented state of the cloud, independent of its implementation. */
export interface Model {
  timezone: string;
  stores: Map<string, StoreModel>;
  folders: Map<string, FolderModel>;
  assets: Map<string, AssetModel>;
  playlists: Map<string, PlaylistModel>;
  schedules: Map<string, ScheduleModel>;
  devices: Map<string, DeviceModel>;
  commands: Map<string, CommandModel>;
  webhooks: Map<string, WebhookModel>;
  /** As they were when they had finished. */
  operations: Map<string, BulkOperation>;
  /** The deployed playlist of each target, newest last: a new deployment replaces the older one of a target. */
  deployed: Map<string, { playlist: string; target: Target }>;
  plays: Map<string, { device: string; startedMs: number }>;
  /** Ids of deleted resources. */
  deletedIds: string[];
}

export function createModel(): Model {
  return {
    timezone: 'UTC',
    stores: new Map(),
    folders: new Map(),
    assets: new Map(),
    playlists: new Map(),
    schedules: new Map(),
    devices: new Map(),
    commands: new Map(),
    webhooks: new Map(),
    operations: new Map(),
    deployed: new Map(),
    plays: new Map(),
    deletedIds: [],
  };
}

export type ResourceKind =
  'stores' | 'folders' | 'assets' | 'playlists' | 'schedules' | 'devices' | 'commands' | 'webhooks';

export const ID_PREFIX: Readonly<Record<ResourceKind, string>> = {
  stores: 'store_',
  folders: 'folder_',
  assets: 'asset_',
  playlists: 'pl_',
  schedules: 'sch_',
  devices: 'dev_',
  commands: 'cmd_',
  webhooks: 'whk_',
} satisfies Record<ResourceKind, `${string}_`> & Partial<Record<IdKind, string>>;

const keyOf = (target: Target) =>
  target.type === 'all'
    ? 'all'
    : target.type === 'tag'
      ? `tag ${target.value}`
      : `${target.type} ${target.id}`;

export const sameTarget = (a: Target, b: Target) => keyOf(a) === keyOf(b);

export function matchesDevice(model: Model, target: Target, deviceId: string): boolean {
  const device = model.devices.get(deviceId);
  if (!device) {
    return false;
  }
  if (target.type === 'device') {
    return target.id === deviceId;
  }
  if (target.type === 'all') {
    return true;
  }
  return target.type === 'store' ? target.id === device.store : device.tags.includes(target.value);
}

/** The playlist of the newest deployment that currently targets the device. */
export function basePlaylist(model: Model, deviceId: string): string | null {
  return (
    [...model.deployed.values()].findLast(({ target }) => matchesDevice(model, target, deviceId))?.playlist ??
    null
  );
}

/** The expected manifest of a device, in normalized order. */
export function expectedManifest(model: Model, deviceId: string) {
  const device = model.devices.get(deviceId)!;
  const schedules = [...model.schedules]
    .filter(([, one]) => one.active && one.targets.some((target) => matchesDevice(model, target, deviceId)))
    .map(([id, one]) => ({
      id,
      name: one.name,
      targets: [
        ...new Set(one.targets.filter((target) => matchesDevice(model, target, deviceId)).map(keyOf)),
      ].toSorted(),
      rules: one.rules.toSorted((a, b) => compareText(a.id, b.id)),
    }))
    .toSorted((a, b) => compareText(a.id, b.id));
  const base = basePlaylist(model, deviceId);
  const wanted = new Set(schedules.flatMap((one) => one.rules.map((rule) => rule.playlist_id)));
  if (base !== null) {
    wanted.add(base);
  }
  const playlists = [...wanted].toSorted().map((id) => {
    const { name, mode, items } = model.playlists.get(id)!;
    return { id, name, mode, items: items.map((item) => ({ ...item })) };
  });
  const assets = [...new Set(playlists.flatMap((one) => one.items.map((item) => item.content)))]
    .toSorted()
    .map((id) => ({ id, sha256: model.assets.get(id)!.sha256 }));
  return {
    timezone: model.timezone,
    device: {
      id: deviceId,
      name: device.name,
      orientation: device.orientation,
      display: device.display,
      menuPin: device.menuPin,
    },
    base,
    schedules,
    playlists,
    assets,
  };
}

export type ExpectedManifest = ReturnType<typeof expectedManifest>;

export { keyOf as targetKey };
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Removes a playlist and its deployments. */
export function removePlaylist(model: Model, id: string): void {
  model.playlists.delete(id);
  for (const [key, deployed] of model.deployed) {
    if (deployed.playlist === id) {
      model.deployed.delete(key);
    }
  }
  model.deletedIds.push(id);
}

/** Deploys a playlist: it becomes the newest on all of its targets. */
export function deployTo(model: Model, playlist: string, targets: readonly Target[]): void {
  for (const target of targets) {
    model.deployed.delete(keyOf(target));
    model.deployed.set(keyOf(target), { playlist, target });
  }
}
