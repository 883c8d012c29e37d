import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { operations } from '@placard/protocol/api';
import type { Rule, Target } from '@placard/protocol/api';
import type { Manifest } from '@placard/protocol';
import { opensMenu } from '../../support/menu-pin.ts';
import { must } from '../support/breach.ts';
import { compare, expectedManifest, targetKey } from './model.ts';
import type { Model } from './model.ts';
import { sweepReports } from './reports.ts';
import type { World } from './world.ts';

const same = (label: string, found: unknown, wanted: unknown) =>
  must(isDeepStrictEqual(found, wanted), `${label} is not what it should be`, { found, wanted });

/** Reads everything that the cloud holds and compares it with the model: no lost row, no orphan, no stranger. */
export async function sweep(world: World): Promise<void> {
  const { api, model } = world;
  same('the time zone', (await api.get(operations.getOrganization)).timezone, model.timezone);
  await sweepPlaces(world);
  await sweepContent(world);
  await sweepPlaylists(world);
  await sweepSchedules(world);
  await sweepDevices(world);
  await sweepReports(world);
  const webhooks = await api.all(operations.listWebhooks, {}, 2);
  ids('the list of webhooks', webhooks, model.webhooks.keys());
  for (const { id, url, events, is_active: active } of webhooks)
    same(`webhook ${id}`, { url, events, active }, model.webhooks.get(id));
  const commands = await api.all(operations.listCommands, {}, 3);
  for (const [id, held] of model.commands) {
    if (!model.devices.has(held.device)) continue;
    const row = commands.find((one) => one.id === id);
    must(row, 'a command is lost', { id, held });
    must(held.finished === null || row.status === held.finished, 'a command changed after it was over', row);
  }
}

function ids(label: string, rows: readonly { id: string }[], wanted: Iterable<string>): void {
  same(label, rows.map((row) => row.id).toSorted(), [...wanted].toSorted());
}

async function sweepPlaces({ api, model }: World): Promise<void> {
  const stores = await api.all(operations.listStores, {}, 3);
  ids('the list of stores', stores, model.stores.keys());
  for (const { id, name, city, tags, device_count } of stores) {
    const held = model.stores.get(id)!;
    const devices = [...model.devices.values()].filter((device) => device.store === id).length;
    same(
      `store ${id}`,
      { name, city: city ?? '', tags, device_count },
      { name: held.name, city: held.city ?? '', tags: held.tags, device_count: devices },
    );
  }
  const folders = await api.all(operations.listFolders, {}, 2);
  ids('the list of folders', folders, model.folders.keys());
  for (const { id, name, parent_id } of folders) {
    const held = model.folders.get(id)!;
    same(`folder ${id}`, { name, parent: parent_id }, held);
  }
}

async function sweepContent({ api, model }: World): Promise<void> {
  const assets = await api.all(operations.listContent, {}, 3);
  ids('the list of content', assets, model.assets.keys());
  for (const asset of assets) {
    const { id, name, tags, folder_id: folder, sha256, type } = asset;
    same(`asset ${id}`, { name, tags, folder, sha256, type }, model.assets.get(id));
    const url = new URL(asset.url);
    const file = await api.client.raw({ method: 'GET', path: url.pathname + url.search });
    must(file.status === 200, 'the bytes of an asset are gone', { url: asset.url, status: file.status });
    same('the bytes', createHash('sha256').update(file.bytes).digest('hex'), sha256);
  }
  for (const tag of new Set([...model.assets.values()].flatMap((asset) => asset.tags)))
    ids(
      `content with tag ${tag}`,
      await api.all(operations.listContent, { tag }),
      [...model.assets].filter(([, held]) => held.tags.includes(tag)).map(([id]) => id),
    );
}

async function sweepPlaylists({ api, model }: World): Promise<void> {
  const playlists = await api.all(operations.listPlaylists, {}, 4);
  ids('the list of playlists', playlists, model.playlists.keys());
  for (const { id, item_count, total_duration } of playlists) {
    const held = model.playlists.get(id)!;
    const detail = await api.get(operations.getPlaylist, { params: { id } });
    same(
      `playlist ${id}`,
      {
        name: detail.name,
        mode: detail.mode,
        items: detail.items.map((item) => ({
          id: item.id,
          content: item.content_id,
          duration: item.duration,
          weight: item.weight,
        })),
      },
      held,
    );
    same(
      'positions',
      detail.items.map((item) => item.position),
      [...detail.items.keys()],
    );
    same(
      `sums of playlist ${id}`,
      { item_count, total_duration },
      {
        item_count: held.items.length,
        total_duration: held.items.reduce((sum, item) => sum + (item.duration ?? 0), 0),
      },
    );
    for (const item of detail.items)
      same('the content of an item', item.content.name, model.assets.get(item.content_id)?.name);
  }
}

/** Targets that name something that still is; once each. */
const liveTargets = (model: Model, targets: readonly Target[]) =>
  [
    ...new Set(
      targets
        .filter((target) => target.type !== 'device' || model.devices.has(target.id))
        .filter((target) => target.type !== 'store' || model.stores.has(target.id))
        .map(targetKey),
    ),
  ].toSorted();

async function sweepSchedules({ api, model }: World): Promise<void> {
  const schedules = await api.all(operations.listSchedules, {}, 3);
  ids('the list of schedules', schedules, model.schedules.keys());
  for (const { id, is_active, rule_count } of schedules) {
    const held = model.schedules.get(id)!;
    const detail = await api.get(operations.getSchedule, { params: { id } });
    same(
      `schedule ${id}`,
      {
        name: detail.name,
        active: is_active,
        rules: detail.rules,
        targets: liveTargets(model, detail.targets),
      },
      { name: held.name, active: held.active, rules: held.rules, targets: liveTargets(model, held.targets) },
    );
    same('rule_count', rule_count, held.rules.length);
  }
}

/** A rule without what the cloud alone knows. */
function withoutTimes(rule: Manifest['schedules'][number]['rules'][number]): Rule {
  const { id, playlist_id, start_time, end_time, days, rrule, priority, starts_on, ends_on } = rule;
  return { id, playlist_id, start_time, end_time, days, rrule, priority, starts_on, ends_on };
}

/** The PIN that the hash stands for, if it is the one expected. */
function heldPin(hash: string | null, expected: string | null): string | null {
  if (hash === null) return null;
  return expected !== null && opensMenu(expected, hash) ? expected : 'another one';
}

/** A manifest in the order of the model. */
const orderly = ({ device, ...manifest }: Manifest, menuPin: string | null) => ({
  timezone: manifest.organization.timezone,
  device: {
    id: device.id,
    name: device.name,
    orientation: device.orientation,
    display: device.display,
    menuPin: heldPin(device.menu_pin_hash, menuPin),
  },
  base: manifest.base_playlist_id,
  schedules: manifest.schedules
    .map(({ id, name, targets, rules }) => ({
      id,
      name,
      targets: [...new Set(targets.map(targetKey))].toSorted(),
      rules: rules.map(withoutTimes).toSorted((a, b) => compare(a.id, b.id)),
    }))
    .toSorted((a, b) => compare(a.id, b.id)),
  playlists: manifest.playlists
    .map(({ id, name, mode, items }) => ({
      id,
      name,
      mode,
      items: items.map(({ id, content_id, duration, weight }) => ({
        id,
        content: content_id,
        duration,
        weight,
      })),
    }))
    .toSorted((a, b) => compare(a.id, b.id)),
  assets: manifest.assets.map(({ id, sha256 }) => ({ id, sha256 })).toSorted((a, b) => compare(a.id, b.id)),
});

async function sweepDevices(world: World): Promise<void> {
  const { api, model } = world;
  const devices = await api.all(operations.listDevices, {}, 2);
  ids('the list of devices', devices, model.devices.keys());
  for (const { id, name, store_id, tags, orientation } of devices) {
    const held = model.devices.get(id)!;
    same(
      `device ${id}`,
      { name, store: store_id, tags, orientation },
      { name: held.name, store: held.store, tags: held.tags, orientation: held.orientation },
    );
    const manifest = await api.get(operations.getManifest, { key: held.token });
    same(`the manifest of ${id}`, orderly(manifest, held.menuPin), expectedManifest(model, id));
    const detail = await api.get(operations.getDevice, { params: { id } });
    same('the revision in the detail', detail.configuration.manifest_revision, manifest.revision);
    const range = { from: new Date(world.nowMs() - 6 * 3_600_000).toISOString(), interval: 'minute' };
    const buckets = await api.get(operations.listHeartbeats, { params: { id }, query: range });
    same(
      `the samples of ${id}`,
      buckets.reduce((sum, bucket) => sum + bucket.samples, 0),
      held.samples.size,
    );
  }
}

/** Revisions of all devices now, with what the documents say that each should show. */
export async function revisions(world: World): Promise<Map<string, { revision: string; expected: string }>> {
  const found = new Map<string, { revision: string; expected: string }>();
  for (const id of world.model.devices.keys()) {
    const detail = await world.api.get(operations.getDevice, { params: { id } });
    const expected = JSON.stringify(expectedManifest(world.model, id));
    found.set(id, { revision: detail.configuration.manifest_revision, expected });
  }
  return found;
}
