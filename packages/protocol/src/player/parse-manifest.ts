import { z } from 'zod';
import { parseDisplay, wireDisplay } from '../display.ts';
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
import { screenshotIntervalOrNever } from './screenshot.ts';
import { zoneTable } from './time-zones.ts';

/** A part of a manifest that the player could not use: place, value, count (`assets.type`, `document`, three times). */
export const skippedPart = z.object({
  what: z.string().max(200),
  found: z.string().max(100),
  count: z.int().min(1),
});
export type SkippedPart = z.infer<typeof skippedPart>;

/** A manifest as a player stores it; `passed_over`, the name of the stored field, are the parts that it skipped. */
export type ParsedManifest = Manifest & { passed_over: readonly SkippedPart[] };

/** Most different parts that are reported. */
const MAX_SKIPPED_PARTS = 30;

const manifestEnvelope = z.object({
  revision: z.string().min(1).max(200),
  organization: z.looseObject({ timezone: z.string().min(1).max(100) }),
  device: z.looseObject({ id: z.string().max(200), name: z.string().max(1000) }),
  schedules: z.array(z.unknown()),
  playlists: z.array(z.unknown()),
  assets: z.array(z.unknown()),
});

/** Formats of the first version; a player that supports more has a longer list. */
const knownAsset = manifestAsset.extend({
  format: z.enum(['jpeg', 'png', 'webp', 'gif', 'avif', 'mp4', 'mov', 'webm']),
});

/**
 * Parses a manifest of any version. Unknown parts are skipped and reported, and the rest is used: one new kind of
 * asset must not invalidate everything else. Null when the input is not a manifest.
 */
export function parseManifest(input: unknown): ParsedManifest | null {
  const parsed = manifestEnvelope.safeParse(input);
  if (!parsed.success) {
    return null;
  }
  const envelope = parsed.data;
  const skipped = createSkipRecorder();
  skipped.recordUnknownFields('', input, manifest.shape);
  skipped.recordUnknownFields('organization', envelope.organization, manifest.shape.organization.shape);
  skipped.recordUnknownFields('device', envelope.device, manifest.shape.device.shape);
  let ruleCount = 0;
  let itemCount = 0;

  const parseSchedule = (input: unknown) => {
    const header = skipped.parsePart('schedules', input, looseSchedule);
    if (!header) {
      return [];
    }
    skipped.recordUnknownFields('schedules', input, manifestSchedule.shape);
    const targets = skipped
      .truncate('schedules.targets', header.targets, LIMITS.targetsPerSchedule)
      .flatMap((target) => skipped.parsePartAsList('schedules.targets', target, manifestTarget));
    const maxCount = Math.min(LIMITS.rulesPerSchedule, LIMITS.rules - ruleCount);
    const rules = skipped
      .truncate('schedules.rules', header.rules, maxCount)
      .flatMap((rule) => parseRule(skipped, rule));
    ruleCount += rules.length;
    return [{ id: header.id, name: header.name, targets, rules }];
  };

  const parsePlaylist = (input: unknown) => {
    const header = skipped.parsePart('playlists', input, loosePlaylist);
    if (!header) {
      return [];
    }
    skipped.recordUnknownFields('playlists', input, manifestPlaylist.shape);
    const mode = skipped.parseField('playlists.mode', header.mode, playlistMode);
    const maxCount = Math.min(LIMITS.itemsPerPlaylist, LIMITS.items - itemCount);
    const items = skipped.truncate('playlists.items', header.items, maxCount).flatMap((item) => {
      skipped.recordUnknownFields('playlists.items', item, manifestItem.shape);
      return skipped.parsePartAsList('playlists.items', item, manifestItem);
    });
    itemCount += items.length;
    // Sequential is the fallback for an unknown mode.
    return [
      { id: header.id, name: header.name, mode: mode.success ? mode.data : ('sequential' as const), items },
    ];
  };

  const { organization, device, revision } = envelope;
  const optionalFields = z.looseObject({}).parse(input);
  const zones = zoneTable.safeParse(optionalFields.timezones);
  if (!zones.success && optionalFields.timezones !== undefined) {
    skipped.record('timezones', optionalFields.timezones);
  }
  const { media_hosts, base_playlist_id, local_timezone } = manifest.shape;
  const hosts = skipped.parseField('media_hosts', optionalFields.media_hosts, media_hosts);
  const localZone = skipped.parseField('local_timezone', optionalFields.local_timezone, local_timezone);
  const base = skipped.parseField('base_playlist_id', optionalFields.base_playlist_id, base_playlist_id);

  return {
    revision,
    organization: {
      timezone: organization.timezone,
      ...parseScreenshotSettings(skipped, 'organization', organization),
    },
    device: parseDevice(skipped, device),
    ...(localZone.data === undefined ? {} : { local_timezone: localZone.data }),
    base_playlist_id: base.data ?? null,
    schedules: skipped.truncate('schedules', envelope.schedules, LIMITS.schedules).flatMap(parseSchedule),
    playlists: skipped.truncate('playlists', envelope.playlists, LIMITS.playlists).flatMap(parsePlaylist),
    assets: skipped.truncate('assets', envelope.assets, LIMITS.assets).flatMap((asset) => {
      skipped.recordUnknownFields('assets', asset, manifestAsset.shape);
      return skipped.parsePartAsList('assets', asset, knownAsset);
    }),
    ...(zones.success ? { timezones: zones.data } : {}),
    // An unreadable list allows no hosts besides the cloud's own.
    ...(hosts.success ? (hosts.data ? { media_hosts: hosts.data } : {}) : { media_hosts: [] }),
    passed_over: skipped.listSkipped(),
  };
}

/** Parses a manifest that this or another version of the player has stored. Null when it is not one. */
export function parseStoredManifest(stored: unknown): (Manifest & Partial<ParsedManifest>) | null {
  const { passed_over: skippedBefore, ...input } = z.looseObject({}).safeParse(stored).data ?? {};
  const parsed = parseManifest(input);
  if (!parsed) {
    return null;
  }
  const { passed_over: skippedNow, ...parsedManifest } = parsed;
  if (skippedBefore === undefined && skippedNow.length === 0) {
    return parsedManifest;
  }
  return {
    ...parsedManifest,
    passed_over: [...(z.array(skippedPart).safeParse(skippedBefore).data ?? []), ...skippedNow],
  };
}

const looseSchedule = manifestSchedule.extend({ targets: z.array(z.unknown()), rules: z.array(z.unknown()) });
const loosePlaylist = manifestPlaylist.extend({ mode: z.unknown(), items: z.array(z.unknown()) });
const looseRule = manifestRule.extend({ days: z.array(z.unknown()).nullable() });

type SkipRecorder = ReturnType<typeof createSkipRecorder>;

function parseRule(skipped: SkipRecorder, input: unknown): ManifestRule[] {
  skipped.recordUnknownFields('schedules.rules', input, manifestRule.shape);
  const rule = skipped.parsePart('schedules.rules', input, looseRule);
  if (!rule) {
    return [];
  }
  const dayInputs = rule.days && skipped.truncate('schedules.rules.days', rule.days, dayCode.options.length);
  const days =
    dayInputs?.flatMap((day) => skipped.parsePartAsList('schedules.rules.days', day, dayCode)) ?? null;
  return days?.length === 0 ? [] : [{ ...rule, days }];
}

function parseDevice(
  skipped: SkipRecorder,
  device: Record<string, unknown> & { id: string; name: string },
): Manifest['device'] {
  const parsedOrientation = skipped.parseField('device.orientation', device.orientation, orientation);
  const pin = manifest.shape.device.shape.menu_pin_hash.safeParse(device.menu_pin_hash);
  if (!pin.success) {
    skipped.record('device.menu_pin_hash', typeof device.menu_pin_hash);
  }
  const display = z.record(z.string(), z.unknown()).safeParse(device.display).data ?? {};
  skipped.recordUnknownFields('device.display', display, wireDisplay.shape);
  for (const [name, schema] of Object.entries(wireDisplay.shape)) {
    if (name in display && !schema.safeParse(display[name]).success) {
      skipped.record(`device.display.${name}`, display[name]);
    }
  }
  return {
    id: device.id,
    name: device.name,
    orientation: parsedOrientation.data ?? 'landscape',
    display: parseDisplay(display),
    menu_pin_hash: pin.data ?? null,
    ...parseScreenshotSettings(skipped, 'device', device),
  };
}

/** What cannot be read forbids them, and asks for none: somebody has said something about it. */
function parseScreenshotSettings(
  skipped: SkipRecorder,
  what: 'organization' | 'device',
  { screenshots_allowed: allowed, screenshot_interval_minutes: minutes }: Record<string, unknown>,
): Pick<Manifest['device'], 'screenshots_allowed' | 'screenshot_interval_minutes'> {
  const read = <T>(field: string, value: unknown, schema: z.ZodType<T>, unreadable: T) =>
    value === undefined
      ? {}
      : { [field]: skipped.parseField(`${what}.${field}`, value, schema).data ?? unreadable };
  return {
    ...read('screenshots_allowed', allowed, z.boolean(), false),
    ...read('screenshot_interval_minutes', minutes, screenshotIntervalOrNever, 0),
  };
}

function createSkipRecorder() {
  const recorded = new Map<string, SkippedPart>();
  function record(what: string, value: unknown): void {
    const found = (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')).slice(0, 100);
    const key = `${what} ${found}`;
    const existing = recorded.get(key);
    if (existing) {
      existing.count += 1;
    } else if (recorded.size < MAX_SKIPPED_PARTS) {
      recorded.set(key, { what: what.slice(0, 200), found, count: 1 });
    }
  }
  /** Parses a part; when it is invalid, records where and which value, and returns null. */
  function parsePart<T extends z.ZodType>(place: string, value: unknown, schema: T): z.output<T> | null {
    const result = schema.safeParse(value);
    if (result.success) {
      return result.data;
    }
    const path = result.error.issues[0]?.path ?? [];
    // For a union zod reports only that no member matches; members are distinguished by their type.
    const at = path.length > 0 || !hasType(value) ? path : ['type'];
    record([place, ...at.filter((step) => typeof step === 'string')].join('.'), valueAt(value, at));
    return null;
  }
  return {
    record,
    parsePart,
    /** Parses a field; when it is invalid, records its value. */
    parseField<T extends z.ZodType>(place: string, value: unknown, schema: T) {
      const result = schema.safeParse(value);
      if (!result.success) {
        record(place, value);
      }
      return result;
    },
    /** The same as `parsePart`, as a list of one or no element. */
    parsePartAsList<T extends z.ZodType>(place: string, value: unknown, schema: T): z.output<T>[] {
      const read = parsePart(place, value, schema);
      return read === null ? [] : [read];
    },
    listSkipped: () => [...recorded.values()],
    /** Records the fields that are not in a shape. */
    recordUnknownFields(place: string, value: unknown, shape: Readonly<Record<string, unknown>>): void {
      if (typeof value !== 'object' || value === null) {
        return;
      }
      for (const name of Object.keys(value)) {
        if (!Object.hasOwn(shape, name)) {
          record(place === '' ? name : `${place}.${name}`, 'unknown field');
        }
      }
    },
    /** Cuts a list at the limit of a manifest. */
    truncate<T>(place: string, list: readonly T[], maxCount: number): readonly T[] {
      if (list.length <= maxCount) {
        return list;
      }
      record(place, `${list.length} of them, of which ${maxCount} are taken`);
      return list.slice(0, maxCount);
    },
  };
}

const hasType = (value: unknown): boolean => typeof value === 'object' && value !== null && 'type' in value;

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const step of path) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined;
  }
  return found;
}
