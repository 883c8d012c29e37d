import { secretField } from '../../domain/audit-changes.ts';
import type { AuditField, AuditSnapshot } from '../../domain/audit-changes.ts';
import type { Target } from '@placard/schedule';
import { actionOf } from '../../database/bulk-operations.ts';
import { toDisplaySettings } from '../../database/devices.ts';
import { ringsOf, rolloutFilterOf } from '../../database/rollouts.ts';
import { toRule } from '../../database/schedules.ts';
import type { RuleRow } from '../../database/schedules.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { toIsoOrNull } from '../../domain/iso-time.ts';
import { alertRuleSettings, presentAlertMute } from '../../http-server/present-alert.ts';

type Reader = (repositories: Repositories, id: string) => Promise<AuditSnapshot | null>;

const snapshot = (
  name: string | null,
  values: Record<string, unknown>,
  more: Record<string, AuditField> = {},
): AuditSnapshot => ({
  name,
  fields: {
    ...Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { value }])),
    ...more,
  },
});

/** Read the fields of a resource that an operator can change, with names beside ids; null when it does not exist. */
export const SNAPSHOT_READERS = {
  async organization(repositories) {
    const row = await repositories.organization.find();
    return row
      ? snapshot(row.name, {
          name: row.name,
          timezone: row.timezone,
          screenshots_allowed: row.screenshots_allowed === 1,
          screenshot_interval_minutes: row.screenshot_interval_minutes,
          renditions: row.renditions,
        })
      : null;
  },
  async api_key(repositories, id) {
    const row = await repositories.apiKeys.find(id);
    if (!row) {
      return null;
    }
    const { name, scope } = row;
    return snapshot(name, { name, scope, expires_at: toIsoOrNull(row.expires_at) });
  },
  async device(repositories, id) {
    const row = await repositories.devices.find(id);
    if (!row) {
      return null;
    }
    const { name, tags, orientation, serial } = row;
    const store = row.store_id === null ? null : await repositories.stores.find(row.store_id);
    return snapshot(
      name,
      {
        name,
        serial,
        store: withName(row.store_id, store),
        tags,
        orientation,
        ...toDisplaySettings(row),
        screenshots_allowed: row.screenshots_allowed === 1,
        screenshot_interval_minutes: row.screenshot_interval_minutes,
      },
      { menu_pin: secretField(row.menu_pin_hash) },
    );
  },
  async content(repositories, id) {
    const row = await repositories.assets.find(id);
    if (!row) {
      return null;
    }
    const { name, type, format, size, sha256, tags } = row;
    const folder = row.folder_id === null ? null : await repositories.folders.find(row.folder_id);
    return snapshot(name, {
      name,
      type,
      format,
      size,
      sha256,
      folder: withName(row.folder_id, folder),
      tags,
    });
  },
  async folder(repositories, id) {
    const row = await repositories.folders.find(id);
    if (!row) {
      return null;
    }
    const parent = row.parent_id === null ? null : await repositories.folders.find(row.parent_id);
    return snapshot(row.name, { name: row.name, parent: withName(row.parent_id, parent) });
  },
  async playlist(repositories, id) {
    const row = await repositories.playlists.find(id);
    if (!row) {
      return null;
    }
    const items = (await repositories.playlists.items(id)).map(({ content_id, name, duration, weight }) => ({
      content: { id: content_id, name },
      duration,
      weight,
    }));
    return snapshot(row.name, { name: row.name, mode: row.mode, items });
  },
  async schedule(repositories, id) {
    const row = await repositories.schedules.find(id);
    if (!row) {
      return null;
    }
    return snapshot(row.name, {
      name: row.name,
      is_active: row.is_active === 1,
      targets: await addTargetNames(repositories, row.targets),
      rules: await addPlaylistNames(repositories, row.rules),
    });
  },
  async store(repositories, id) {
    const row = await repositories.stores.find(id);
    if (!row) {
      return null;
    }
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
  async user(repositories, id) {
    const row = await repositories.users.find(id);
    if (!row) {
      return null;
    }
    const { name, email, role, stores } = row;
    return snapshot(name, {
      name,
      email,
      role,
      stores: stores && (await nameStores(repositories, stores)),
      disabled: row.disabled_at !== null,
      second_factor: row.has_totp === 1,
    });
  },
  async invitation(repositories, id) {
    const row = await repositories.invitations.find(id);
    if (!row) {
      return null;
    }
    const { email, role, stores } = row;
    return snapshot(email, {
      email,
      role,
      stores: stores && (await nameStores(repositories, JSON.parse(stores))),
      expires_at: toIsoOrNull(row.expires_at),
      revoked: row.revoked_at !== null,
    });
  },
  /** What it does is in the response to its creation. */
  async operation(repositories, id) {
    const row = await repositories.bulkOperations.find(id);
    return row ? snapshot(actionOf(row).type, {}) : null;
  },
  async rollout(repositories, id) {
    const row = await repositories.rollouts.find(id);
    return row
      ? snapshot(row.name, {
          version: row.version,
          filter: rolloutFilterOf(row),
          rings: ringsOf(row),
          hold_hours: row.hold_hours,
          status: row.status,
          ring: row.ring,
        })
      : null;
  },
  async alert_rule(repositories, id) {
    const row = await repositories.alertRules.find(id);
    return row ? snapshot(row.name, alertRuleSettings(row)) : null;
  },
  async alert_mute(repositories, id) {
    const row = await repositories.alertMutes.find(id);
    if (!row) {
      return null;
    }
    const { target, until, reason } = presentAlertMute(row);
    const [named] = await addTargetNames(repositories, [target]);
    return snapshot(reason, { target: named, until, reason });
  },
  async webhook(repositories, id) {
    const row = await repositories.webhooks.find(id);
    if (!row) {
      return null;
    }
    const host = new URL(row.url).origin;
    return snapshot(
      host,
      { events: JSON.parse(row.events), is_active: row.is_active === 1 },
      // The path of a webhook URL is often a secret.
      { url: { value: row.url, redacted: `${host}/…` }, secret: secretField(row.secret) },
    );
  },
} satisfies Record<string, Reader>;

export type ResourceType = keyof typeof SNAPSHOT_READERS;

const withName = (id: string | null, row: { name: string } | null | undefined) =>
  id === null ? null : { id, name: row?.name ?? null };

async function nameStores({ stores }: Pick<Repositories, 'stores'>, ids: readonly string[]) {
  const names = await stores.findNames(ids);
  return ids.map((id) => ({ id, name: names.get(id) ?? null }));
}

/** Targets beyond this number are logged without names. */
const MAX_NAMED_TARGETS = 100;

export async function addTargetNames(
  repositories: Repositories,
  targets: readonly Target[],
): Promise<unknown[]> {
  const described: unknown[] = [];
  for (const [index, target] of targets.entries()) {
    if (index >= MAX_NAMED_TARGETS || (target.type !== 'device' && target.type !== 'store')) {
      described.push(target);
    } else {
      const found = await (target.type === 'device' ? repositories.devices : repositories.stores).find(
        target.id,
      );
      described.push({ ...target, name: found?.name ?? null });
    }
  }
  return described;
}

async function addPlaylistNames(repositories: Repositories, rules: readonly RuleRow[]) {
  const playlists = await repositories.playlists.findNames([
    ...new Set(rules.map((rule) => rule.playlist_id)),
  ]);
  return rules.map((row) => {
    const { playlist_id: id, ...rule } = toRule(row);
    return { ...rule, playlist: { id, name: playlists.get(id) ?? null } };
  });
}
