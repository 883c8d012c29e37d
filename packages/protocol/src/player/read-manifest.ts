import { z } from 'zod';
import { displaySettings, tolerantDisplay } from '../display.ts';
import { LIMITS } from '../limits.ts';
import { dayCode, orientation, playlistMode } from '../primitives.ts';
import {
  manifest,
  manifestAsset,
  manifestItem,
  manifestPlaylist,
  manifestRule,
  manifestSchedule,
  manifestTarget,
} from './manifest.ts';
import type { Manifest, ManifestRule } from './manifest.ts';
import { zoneTable } from './zones.ts';

/** What a player could not make use of in a manifest, by its place: `assets.type`, `document`, three times. */
export const passedOver = z.object({
  what: z.string().max(200),
  found: z.string().max(100),
  count: z.int().min(1),
});
export type PassedOver = z.infer<typeof passedOver>;

/** A manifest as a player keeps it, with what it had to leave out. */
export type ReadManifest = Manifest & { passed_over: readonly PassedOver[] };

/** So many different things are told; a manifest that is strange through and through needs no longer list. */
const MOST_TOLD = 30;

const frame = z.object({
  revision: z.string().min(1).max(200),
  organization: z.looseObject({ timezone: z.string().min(1).max(100) }),
  device: z.looseObject({ id: z.string().max(200), name: z.string().max(1000) }),
  schedules: z.array(z.unknown()),
  playlists: z.array(z.unknown()),
  assets: z.array(z.unknown()),
});

/** Its formats are those of the first version; a player that can show more knows more. */
const knownAsset = manifestAsset.extend({
  format: z.enum(['jpeg', 'png', 'webp', 'gif', 'avif', 'mp4', 'mov', 'webm']),
});

/**
 * Reads a manifest of whatever version. What this one does not know is passed over and told, and the rest is taken:
 * one new kind of asset must not keep a screen from everything else. Null when it is no manifest at all.
 */
export function readManifest(sent: unknown): ReadManifest | null {
  const read = frame.safeParse(sent);
  if (!read.success) return null;
  const whole = read.data;
  const told = createTelling();
  told.fields('', sent, manifest.shape);
  told.fields('organization', whole.organization, manifest.shape.organization.shape);
  told.fields('device', whole.device, manifest.shape.device.shape);
  let rules = 0;
  let itemCount = 0;

  const scheduleOf = (one: unknown) => {
    const head = told.part('schedules', one, looseSchedule);
    if (!head) return [];
    told.fields('schedules', one, manifestSchedule.shape);
    const targets = told
      .cut('schedules.targets', head.targets, LIMITS.targetsPerSchedule)
      .flatMap((target) => told.parts('schedules.targets', target, manifestTarget));
    const most = Math.min(LIMITS.rulesPerSchedule, LIMITS.rules - rules);
    const kept = told.cut('schedules.rules', head.rules, most).flatMap((rule) => ruleOf(told, rule));
    rules += kept.length;
    return [{ id: head.id, name: head.name, targets, rules: kept }];
  };

  const playlistOf = (one: unknown) => {
    const head = told.part('playlists', one, loosePlaylist);
    if (!head) return [];
    told.fields('playlists', one, manifestPlaylist.shape);
    const mode = playlistMode.safeParse(head.mode);
    if (!mode.success) told.note('playlists.mode', head.mode);
    const most = Math.min(LIMITS.itemsPerPlaylist, LIMITS.items - itemCount);
    const items = told.cut('playlists.items', head.items, most).flatMap((item) => {
      told.fields('playlists.items', item, manifestItem.shape);
      return told.parts('playlists.items', item, manifestItem);
    });
    itemCount += items.length;
    // In order is how a list is shown when nobody knows better.
    return [
      { id: head.id, name: head.name, mode: mode.success ? mode.data : ('sequential' as const), items },
    ];
  };

  const { organization, device, revision } = whole;
  const other = z.looseObject({}).parse(sent);
  const zones = zoneTable.safeParse(other.timezones);
  if (!zones.success && other.timezones !== undefined) told.note('timezones', other.timezones);
  const hosts = manifest.shape.media_hosts.safeParse(other.media_hosts);
  if (!hosts.success) told.note('media_hosts', other.media_hosts);
  const base = manifest.shape.base_playlist_id.safeParse(other.base_playlist_id);
  if (!base.success) told.note('base_playlist_id', other.base_playlist_id);

  return {
    revision,
    organization: { timezone: organization.timezone },
    device: deviceOf(told, device),
    base_playlist_id: base.data ?? null,
    schedules: told.cut('schedules', whole.schedules, LIMITS.schedules).flatMap(scheduleOf),
    playlists: told.cut('playlists', whole.playlists, LIMITS.playlists).flatMap(playlistOf),
    assets: told.cut('assets', whole.assets, LIMITS.assets).flatMap((asset) => {
      told.fields('assets', asset, manifestAsset.shape);
      return told.parts('assets', asset, knownAsset);
    }),
    ...(zones.success ? { timezones: zones.data } : {}),
    // A list that cannot be read allows nothing beyond the cloud itself.
    ...(hosts.success ? (hosts.data ? { media_hosts: hosts.data } : {}) : { media_hosts: [] }),
    passed_over: told.list(),
  };
}

/** Reads a manifest that this or another version of the player has kept. Null when it is none. */
export function readKeptManifest(kept: unknown): (Manifest & Partial<ReadManifest>) | null {
  const { passed_over: before, ...sent } = z.looseObject({}).safeParse(kept).data ?? {};
  const read = readManifest(sent);
  if (!read) return null;
  const { passed_over: more, ...whole } = read;
  if (before === undefined && more.length === 0) return whole;
  return { ...whole, passed_over: [...(z.array(passedOver).safeParse(before).data ?? []), ...more] };
}

const looseSchedule = manifestSchedule.extend({ targets: z.array(z.unknown()), rules: z.array(z.unknown()) });
const loosePlaylist = manifestPlaylist.extend({ mode: z.unknown(), items: z.array(z.unknown()) });
const looseRule = manifestRule.extend({ days: z.array(z.unknown()).nullable() });

type Telling = ReturnType<typeof createTelling>;

function ruleOf(told: Telling, one: unknown): ManifestRule[] {
  told.fields('schedules.rules', one, manifestRule.shape);
  const rule = told.part('schedules.rules', one, looseRule);
  if (!rule) return [];
  const sent = rule.days && told.cut('schedules.rules.days', rule.days, dayCode.options.length);
  const days = sent?.flatMap((day) => told.parts('schedules.rules.days', day, dayCode)) ?? null;
  return days?.length === 0 ? [] : [{ ...rule, days }];
}

function deviceOf(
  told: Telling,
  device: Record<string, unknown> & { id: string; name: string },
): Manifest['device'] {
  const turned = orientation.safeParse(device.orientation);
  if (!turned.success) told.note('device.orientation', device.orientation);
  const pin = manifest.shape.device.shape.menu_pin_hash.safeParse(device.menu_pin_hash);
  if (!pin.success) told.note('device.menu_pin_hash', typeof device.menu_pin_hash);
  const display = z.record(z.string(), z.unknown()).safeParse(device.display).data ?? {};
  told.fields('device.display', display, displaySettings.shape);
  for (const [name, schema] of Object.entries(displaySettings.shape))
    if (name in display && !schema.safeParse(display[name]).success)
      told.note(`device.display.${name}`, display[name]);
  return {
    id: device.id,
    name: device.name,
    orientation: turned.data ?? 'landscape',
    display: tolerantDisplay.parse(display),
    menu_pin_hash: pin.data ?? null,
  };
}

function createTelling() {
  const noted = new Map<string, PassedOver>();
  function note(what: string, value: unknown): void {
    const found = (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')).slice(0, 100);
    const key = `${what} ${found}`;
    const known = noted.get(key);
    if (known) known.count += 1;
    else if (noted.size < MOST_TOLD) noted.set(key, { what: what.slice(0, 200), found, count: 1 });
  }
  /** A part by its schema, or null; then it notes where the part is wrong and what stands there. */
  function part<T extends z.ZodType>(place: string, value: unknown, schema: T): z.output<T> | null {
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    const path = read.error.issues[0]?.path ?? [];
    // Of a union nothing is told but that no member fits; the type is what members are told apart by.
    const at = path.length > 0 || !hasType(value) ? path : ['type'];
    note([place, ...at.filter((step) => typeof step === 'string')].join('.'), valueAt(value, at));
    return null;
  }
  return {
    note,
    part,
    /** The same as a list of one or none. */
    parts<T extends z.ZodType>(place: string, value: unknown, schema: T): z.output<T>[] {
      const read = part(place, value, schema);
      return read === null ? [] : [read];
    },
    list: () => [...noted.values()],
    /** Notes the fields that a shape does not have. */
    fields(place: string, value: unknown, shape: Readonly<Record<string, unknown>>): void {
      if (typeof value !== 'object' || value === null) return;
      for (const name of Object.keys(value))
        if (!Object.hasOwn(shape, name)) note(place === '' ? name : `${place}.${name}`, 'unknown field');
    },
    /** As much of a list as a manifest may hold. */
    cut<T>(place: string, list: readonly T[], most: number): readonly T[] {
      if (list.length <= most) return list;
      note(place, `${list.length} of them, of which ${most} are taken`);
      return list.slice(0, most);
    },
  };
}

const hasType = (value: unknown): boolean => typeof value === 'object' && value !== null && 'type' in value;

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const step of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined;
  return found;
}
