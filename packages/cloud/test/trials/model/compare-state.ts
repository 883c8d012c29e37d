import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { operations } from '@placard/protocol/api';
import type { Rule } from '@placard/protocol/api';
import type { Target } from '@placard/schedule';
import { fromWireDisplay } from '@placard/protocol';
import type { Manifest } from '@placard/protocol';
import { pinMatchesHash } from '../../support/menu-pin.ts';
import { assert } from '../support/contract-violation.ts';
import { compareText, expectedManifest, targetKey } from './model.ts';
import type { Model } from './model.ts';
import { compareReports } from './compare-reports.ts';
import type { World } from './world.ts';

const assertEqual = (label: string, found: unknown, wanted: unknown) =>
  assert(isDeepStrictEqual(found, wanted), `${label} is not what it should be`, { found, wanted });

/** Reads all data of the cloud and compares it with the model: no lost, orphaned or unknown rows. */
export async function compareState(world: World): Promise<void> {
  const { api, model } = world;
  assertEqual(
    'the time zone',
    (await api.expectSuccess(operations.getOrganization)).timezone,
    model.timezone,
  );
  await compareStoresAndFolders(world);
  await compareContent(world);
  await comparePlaylists(world);
  await compareSchedules(world);
  await compareDevices(world);
  await compareReports(world);
  const webhooks = await api.listAll(operations.listWebhooks, {}, 2);
  assertSameIds('the list of webhooks', webhooks, model.webhooks.keys());
  for (const { id, url, events, is_active: active } of webhooks) {
    assertEqual(`webhook ${id}`, { url, events, active }, model.webhooks.get(id));
  }
  const bulk = await api.listAll(operations.listOperations, {}, 3);
  assertSameIds('the list of operations', bulk, model.operations.keys());
  for (const one of bulk) {
    assertEqual(`operation ${one.id}`, one, model.operations.get(one.id));
  }
  const commands = await api.listAll(operations.listCommands, {}, 3);
  for (const [id, modelEntry] of model.commands) {
    if (!model.devices.has(modelEntry.device)) {
      continue;
    }
    const row = commands.find((one) => one.id === id);
    assert(row, 'a command is lost', { id, modelEntry });
    assert(
      modelEntry.finished === null || row.status === modelEntry.finished,
      'a command changed after it was over',
      row,
    );
  }
}

function assertSameIds(label: string, rows: readonly { id: string }[], wanted: Iterable<string>): void {
  assertEqual(label, rows.map((row) => row.id).toSorted(), [...wanted].toSorted());
}

async function compareStoresAndFolders({ api, model }: World): Promise<void> {
  const stores = await api.listAll(operations.listStores, {}, 3);
  assertSameIds('the list of stores', stores, model.stores.keys());
  for (const { id, name, city, tags, device_count } of stores) {
    const modelEntry = model.stores.get(id)!;
    const devices = [...model.devices.values()].filter((device) => device.store === id).length;
    assertEqual(
      `store ${id}`,
      { name, city: city ?? '', tags, device_count },
      { name: modelEntry.name, city: modelEntry.city ?? '', tags: modelEntry.tags, device_count: devices },
    );
  }
  const folders = await api.listAll(operations.listFolders, {}, 2);
  assertSameIds('the list of folders', folders, model.folders.keys());
  for (const { id, name, parent_id } of folders) {
    const modelEntry = model.folders.get(id)!;
    assertEqual(`folder ${id}`, { name, parent: parent_id }, modelEntry);
  }
}

async function compareContent({ api, model }: World): Promise<void> {
  const assets = await api.listAll(operations.listContent, {}, 3);
  assertSameIds('the list of content', assets, model.assets.keys());
  for (const asset of assets) {
    const { id, name, tags, folder_id: folder, sha256, type } = asset;
    assertEqual(`asset ${id}`, { name, tags, folder, sha256, type }, model.assets.get(id));
    const url = new URL(asset.url);
    const file = await api.client.sendRaw({ method: 'GET', path: url.pathname + url.search });
    assert(file.status === 200, 'the file of an asset is gone', { url: asset.url, status: file.status });
    assertEqual('the bytes', createHash('sha256').update(file.bytes).digest('hex'), sha256);
  }
  for (const tag of new Set([...model.assets.values()].flatMap((asset) => asset.tags))) {
    assertSameIds(
      `content with tag ${tag}`,
      await api.listAll(operations.listContent, { tag }),
      [...model.assets].filter(([, modelEntry]) => modelEntry.tags.includes(tag)).map(([id]) => id),
    );
  }
}

async function comparePlaylists({ api, model }: World): Promise<void> {
  const playlists = await api.listAll(operations.listPlaylists, {}, 4);
  assertSameIds('the list of playlists', playlists, model.playlists.keys());
  for (const { id, item_count, total_duration } of playlists) {
    const modelEntry = model.playlists.get(id)!;
    const detail = await api.expectSuccess(operations.getPlaylist, { params: { id } });
    assertEqual(
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
      modelEntry,
    );
    assertEqual(
      'positions',
      detail.items.map((item) => item.position),
      [...detail.items.keys()],
    );
    assertEqual(
      `sums of playlist ${id}`,
      { item_count, total_duration },
      {
        item_count: modelEntry.items.length,
        total_duration: modelEntry.items.reduce((sum, item) => sum + (item.duration ?? 0), 0),
      },
    );
    for (const item of detail.items) {
      assertEqual('the content of an item', item.content.name, model.assets.get(item.content_id)?.name);
    }
  }
}

/** Targets that still exist, without duplicates. */
const liveTargets = (model: Model, targets: readonly Target[]) =>
  [
    ...new Set(
      targets
        .filter((target) => target.type !== 'device' || model.devices.has(target.id))
        .filter((target) => target.type !== 'store' || model.stores.has(target.id))
        .map(targetKey),
    ),
  ].toSorted();

async function compareSchedules({ api, model }: World): Promise<void> {
  const schedules = await api.listAll(operations.listSchedules, {}, 3);
  assertSameIds('the list of schedules', schedules, model.schedules.keys());
  for (const { id, is_active, rule_count } of schedules) {
    const modelEntry = model.schedules.get(id)!;
    const detail = await api.expectSuccess(operations.getSchedule, { params: { id } });
    assertEqual(
      `schedule ${id}`,
      {
        name: detail.name,
        active: is_active,
        rules: detail.rules,
        targets: liveTargets(model, detail.targets),
      },
      {
        name: modelEntry.name,
        active: modelEntry.active,
        rules: modelEntry.rules,
        targets: liveTargets(model, modelEntry.targets),
      },
    );
    assertEqual('rule_count', rule_count, modelEntry.rules.length);
  }
}

/** A rule without the fields that only the cloud sets. */
function withoutTimes(rule: Manifest['schedules'][number]['rules'][number]): Rule {
  const { created_at: _created, updated_at: _updated, ...fields } = rule;
  return {
    ...fields,
    end_day_offset: rule.end_day_offset ?? 0,
    except_dates: rule.except_dates ?? [],
    local_time: rule.local_time ?? false,
  };
}

/** The expected PIN if the hash matches it. */
function matchingPin(hash: string | null, expected: string | null): string | null {
  if (hash === null) {
    return null;
  }
  return expected !== null && pinMatchesHash(expected, hash) ? expected : 'another one';
}

/** A manifest in the shape of the model. */
const normalizeManifest = ({ device, ...manifest }: Manifest, menuPin: string | null) => ({
  timezone: manifest.organization.timezone,
  device: {
    id: device.id,
    name: device.name,
    orientation: device.orientation,
    display: fromWireDisplay(device.display),
    menuPin: matchingPin(device.menu_pin_hash, menuPin),
  },
  base: manifest.base_playlist_id,
  schedules: manifest.schedules
    .map(({ id, name, targets, rules }) => ({
      id,
      name,
      targets: [...new Set(targets.map(targetKey))].toSorted(),
      rules: rules.map(withoutTimes).toSorted((a, b) => compareText(a.id, b.id)),
    }))
    .toSorted((a, b) => compareText(a.id, b.id)),
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
    .toSorted((a, b) => compareText(a.id, b.id)),
  assets: manifest.assets
    .map(({ id, sha256 }) => ({ id, sha256 }))
    .toSorted((a, b) => compareText(a.id, b.id)),
});

async function compareDevices(world: World): Promise<void> {
  const { api, model } = world;
  const devices = await api.listAll(operations.listDevices, {}, 2);
  assertSameIds('the list of devices', devices, model.devices.keys());
  for (const { id, name, store_id, tags, orientation } of devices) {
    const modelEntry = model.devices.get(id)!;
    assertEqual(
      `device ${id}`,
      { name, store: store_id, tags, orientation },
      {
        name: modelEntry.name,
        store: modelEntry.store,
        tags: modelEntry.tags,
        orientation: modelEntry.orientation,
      },
    );
    const manifest = await api.expectSuccess(operations.getManifest, { key: modelEntry.token });
    assertEqual(
      `the manifest of ${id}`,
      normalizeManifest(manifest, modelEntry.menuPin),
      expectedManifest(model, id),
    );
    const detail = await api.expectSuccess(operations.getDevice, { params: { id } });
    assertEqual('the revision in the detail', detail.configuration.manifest_revision, manifest.revision);
    assertEqual(`the frames of ${id}`, detail.frames, modelEntry.frames);
    const range = { from: new Date(world.nowMs() - 6 * 3_600_000).toISOString(), interval: 'minute' };
    const buckets = await api.expectSuccess(operations.listHeartbeats, { params: { id }, query: range });
    assertEqual(
      `the samples of ${id}`,
      buckets.reduce((sum, bucket) => sum + bucket.samples, 0),
      modelEntry.samples.size,
    );
  }
}

/** Current revisions of all devices, with the expected manifests. */
export async function readRevisions(
  world: World,
): Promise<Map<string, { revision: string; expected: string }>> {
  const found = new Map<string, { revision: string; expected: string }>();
  for (const id of world.model.devices.keys()) {
    const detail = await world.api.expectSuccess(operations.getDevice, { params: { id } });
    const expected = JSON.stringify(expectedManifest(world.model, id));
    found.set(id, { revision: detail.configuration.manifest_revision, expected });
  }
  return found;
}
