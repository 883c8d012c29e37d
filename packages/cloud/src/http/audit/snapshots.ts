import { secretField } from '../../domain/audit-changes.ts';
import type { AuditField, Snapshot } from '../../domain/audit-changes.ts';
import type { Target } from '../../domain/reach.ts';
import { displayOf } from '../../store/devices.ts';
import type { RuleRow } from '../../store/schedules.ts';
import type { Repositories } from '../../store/store.ts';
import { isoOrNull, presentRule } from '../present.ts';

export type ResourceType =
  | 'organization'
  | 'api_key'
  | 'device'
  | 'content'
  | 'folder'
  | 'playlist'
  | 'schedule'
  | 'store'
  | 'webhook';

/** Reads what an operator can change of a resource, with names beside ids; null when it does not exist. */
export function snapshotOf(from: Repositories, type: ResourceType, id: string): Promise<Snapshot | null> {
  return READERS[type](from, id);
}

type Reader = (from: Repositories, id: string) => Promise<Snapshot | null>;

const snapshot = (
  name: string | null,
  values: Record<string, unknown>,
  more: Record<string, AuditField> = {},
): Snapshot => ({
  name,
  fields: {
    ...Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { value }])),
    ...more,
  },
});

const READERS: Record<ResourceType, Reader> = {
  async organization(from) {
    const row = await from.organization.find();
    return row ? snapshot(row.name, { name: row.name, timezone: row.timezone }) : null;
  },
  async api_key(from, id) {
    const row = await from.apiKeys.find(id);
    if (!row) return null;
    const { name, scope } = row;
    return snapshot(name, { name, scope, expires_at: isoOrNull(row.expires_at) });
  },
  async device(from, id) {
    const row = await from.devices.find(id);
    if (!row) return null;
    const { name, tags, orientation, serial } = row;
    const store = row.store_id === null ? null : await from.stores.find(row.store_id);
    return snapshot(
      name,
      { name, serial, store: named(row.store_id, store), tags, orientation, ...displayOf(row) },
      { menu_pin: secretField(row.menu_pin_hash) },
    );
  },
  async content(from, id) {
    const row = await from.assets.find(id);
    if (!row) return null;
    const { name, type, format, size, sha256, tags } = row;
    const folder = row.folder_id === null ? null : await from.folders.find(row.folder_id);
    return snapshot(name, { name, type, format, size, sha256, folder: named(row.folder_id, folder), tags });
  },
  async folder(from, id) {
    const row = await from.folders.find(id);
    if (!row) return null;
    const parent = row.parent_id === null ? null : await from.folders.find(row.parent_id);
    return snapshot(row.name, { name: row.name, parent: named(row.parent_id, parent) });
  },
  async playlist(from, id) {
    const row = await from.playlists.find(id);
    if (!row) return null;
    const items = (await from.playlists.items(id)).map(({ content_id, name, duration, weight }) => ({
      content: { id: content_id, name },
      duration,
      weight,
    }));
    return snapshot(row.name, { name: row.name, mode: row.mode, items });
  },
  async schedule(from, id) {
    const row = await from.schedules.find(id);
    if (!row) return null;
    return snapshot(row.name, {
      name: row.name,
      is_active: row.is_active === 1,
      targets: await namedTargets(from, row.targets),
      rules: await namedRules(from, row.rules),
    });
  },
  async store(from, id) {
    const row = await from.stores.find(id);
    if (!row) return null;
    const { name, address, city, region, country, contact, timezone } = row;
    return snapshot(name, {
      name,
      address,
      city,
      region,
      country,
      contact,
      timezone,
      tags: JSON.parse(row.tags),
    });
  },
  async webhook(from, id) {
    const row = await from.webhooks.find(id);
    if (!row) return null;
    const host = new URL(row.url).origin;
    return snapshot(
      host,
      { events: JSON.parse(row.events), is_active: row.is_active === 1 },
      // The path of such an address is often the secret itself.
      { url: { value: row.url, shown: `${host}/…` }, secret: secretField(row.secret) },
    );
  },
};

const named = (id: string | null, row: { name: string } | null | undefined) =>
  id === null ? null : { id, name: row?.name ?? null };

/** Beyond these, targets are told by their ids alone. */
const MOST_NAMES = 100;

/** Targets with the names of their devices and stores. */
export async function namedTargets(from: Repositories, targets: readonly Target[]): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const [index, target] of targets.entries()) {
    if (index >= MOST_NAMES || (target.type !== 'device' && target.type !== 'store')) told.push(target);
    else {
      const found = await (target.type === 'device' ? from.devices : from.stores).find(target.id);
      told.push({ ...target, name: found?.name ?? null });
    }
  }
  return told;
}

async function namedRules(from: Repositories, rules: readonly RuleRow[]) {
  const playlists = await from.playlists.existing([...new Set(rules.map((rule) => rule.playlist_id))]);
  return rules.map((row) => {
    const { playlist_id: id, ...rule } = presentRule(row);
    return { ...rule, playlist: { id, name: playlists.get(id)?.name ?? null } };
  });
}
