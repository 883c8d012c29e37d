import { FIRST_CURSOR } from '@placard/protocol/api';
import type { AlertCondition, AlertFilter } from '@placard/protocol/api';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Page } from '../database/paging.ts';
import type { OnlineDevice, WatchedDevice } from '../database/watched-devices.ts';
import type { SharedPart } from '../domain/device-classes.ts';
import { meetsCondition, readingsOf } from '../domain/device-readings.ts';
import type { Readings } from '../domain/device-readings.ts';
import { isAboutPictures, missingPictures } from '../domain/picture-series.ts';
import type { PictureSeries } from '../domain/picture-series.ts';
import { createScheduleEvaluator } from '../domain/schedule-evaluator.ts';
import { createYieldIfLong } from '../event-loop/yield-if-long.ts';
import type { FoundDevice, Look, LookedAtRule, Matching, StorePictures } from './look.ts';

/** Devices that are read at once. */
const READ_AT_ONCE = 200;
const MINUTE_MS = 60_000;

/** Conditions that all online devices are read for. */
const OF_ONLINE = [
  'hot',
  'disk_below',
  'behind',
  'nothing_playable',
  'screen_black',
  'screen_frozen',
] as const;
type OnlineCondition = Extract<AlertCondition, { type: (typeof OF_ONLINE)[number] }>;

type Source = Pick<
  CloudDatabase,
  | 'watchedDevices'
  | 'alertMatches'
  | 'alerts'
  | 'devices'
  | 'manifests'
  | 'manifestBuilder'
  | 'manifestRevisionOf'
>;

interface Watching {
  condition: OnlineCondition;
  /** Position of its filter in those of all. */
  filter: number;
  /** Devices that met the condition when it was last known. */
  met: ReadonlySet<string>;
  found: FoundDevice[];
  unknown: Set<string>;
  pictures: Map<string, StorePictures>;
}

/** What the online devices mean for the rules that are about them; by the id of the rule. All of them are read once. */
export async function matchOnline(
  database: Source,
  rules: readonly LookedAtRule[],
  look: Look,
): Promise<Map<string, Matching>> {
  const watching = new Map<string, Watching>();
  const filters = new Map<string, AlertFilter>();
  for (const rule of rules) {
    const { condition } = rule;
    if (isOfOnline(condition)) {
      const key = JSON.stringify(rule.filter);
      filters.set(key, rule.filter);
      const filter = [...filters.keys()].indexOf(key);
      watching.set(rule.row.id, {
        condition,
        filter,
        met: await metBefore(database, rule),
        found: [],
        unknown: new Set(),
        pictures: new Map(),
      });
    }
  }
  if (watching.size > 0) {
    await readAll(database, [...watching.values()], [...filters.values()], look);
  }
  return watching;
}

/** Whether `matchOnline` finds the devices that meet the condition, or some of them. */
export const isOfOnline = (condition: AlertCondition): condition is OnlineCondition =>
  OF_ONLINE.some((type) => type === condition.type);

async function readAll(
  database: Source,
  watching: readonly Watching[],
  filters: readonly AlertFilter[],
  look: Look,
): Promise<void> {
  const findBehind = createFindBehind(database);
  const findIdle = createFindIdle(database, look.nowMs);
  const withMeasures = watching.some(({ condition }) => isAboutPictures(condition));
  const yieldIfLong = createYieldIfLong();
  for (let cursor: string | null = FIRST_CURSOR; cursor !== null;) {
    const page: Page<OnlineDevice> = await database.watchedDevices.listOnline(filters, withMeasures, {
      cursor,
      limit: READ_AT_ONCE,
    });
    const watchedFor = (type: OnlineCondition['type']) =>
      page.rows.filter((device) =>
        watching.some(({ condition, filter }) => condition.type === type && isFoundBy(device, filter)),
      );
    const behind = await findBehind(watchedFor('behind'));
    const idle = await findIdle(watchedFor('nothing_playable'));
    for (const device of page.rows) {
      judge(device, watching, { isBehind: behind.has(device.id), isIdle: idle.has(device.id) }, look);
    }
    await yieldIfLong();
    cursor = page.nextCursor;
  }
}

const isFoundBy = ({ found_by: found }: OnlineDevice, filter: number): boolean => found[filter] === '1';

/** Adds the device to what the rules have found. */
function judge(
  device: OnlineDevice,
  watching: readonly Watching[],
  { isBehind, isIdle }: { isBehind: boolean; isIdle: boolean },
  { nowMs, pictureMinutes }: Look,
): void {
  // Most devices meet nothing, and are asked about one thing.
  let plain: FoundDevice | null = null;
  let readings: Readings | null = null;
  let series: PictureSeries | null = null;
  const toFound = () => (plain ??= { device: toWatched(device), detail: null });
  for (const { condition, filter, met, found, unknown, pictures } of watching) {
    if (!isFoundBy(device, filter)) {
      continue;
    }
    if (condition.type === 'behind') {
      if (isBehind) {
        found.push({ ...toFound(), detail: device.applied_manifest_revision });
      }
    } else if (condition.type === 'nothing_playable') {
      if (isIdle) {
        found.push(toFound());
      }
    } else if (isAboutPictures(condition)) {
      series ??= seriesOf(device);
      const missing = series === null ? Infinity : missingPictures(condition, series, nowMs);
      if (missing === 0) {
        found.push(toFound());
      }
      if (missing <= 1) {
        const intervalMs = (device.screenshot_interval_minutes ?? pictureMinutes) * MINUTE_MS;
        addPicture(pictures, device.store_id, { suspects: missing, intervalMs });
      }
    } else {
      readings ??= readingsOf(device, nowMs);
      const isMet = meetsCondition(condition, readings, met.has(device.id));
      if (isMet === true) {
        found.push(toFound());
      } else if (isMet === null && met.has(device.id)) {
        unknown.add(device.id);
      }
    }
  }
}

function addPicture(
  pictures: Watching['pictures'],
  storeId: string | null,
  { suspects, intervalMs }: StorePictures,
): void {
  if (storeId !== null) {
    const before = pictures.get(storeId) ?? { suspects: 0, intervalMs: 0 };
    pictures.set(storeId, {
      suspects: before.suspects + suspects,
      intervalMs: Math.max(before.intervalMs, intervalMs),
    });
  }
}

const seriesOf = ({ measures }: OnlineDevice): PictureSeries | null =>
  measures === null ? null : JSON.parse(measures);

/** Without the readings, so that not those of all devices are in memory. */
const toWatched = (device: OnlineDevice): WatchedDevice => ({
  id: device.id,
  store_id: device.store_id,
  status: device.status,
  created_at: device.created_at,
  last_seen: device.last_seen,
  last_heartbeat: device.last_heartbeat,
  applied_manifest_revision: device.applied_manifest_revision,
});

async function metBefore(
  { alertMatches, alerts }: Source,
  { row, condition }: LookedAtRule,
): Promise<Set<string>> {
  if (condition.type !== 'hot' && condition.type !== 'disk_below') {
    return new Set();
  }
  const met = new Set((await alertMatches.ofRule(row)).map((match) => match.device_id));
  for (const { devices } of await alerts.open(row.id)) {
    for (const [id, overSinceMs] of devices) {
      if (overSinceMs === null) {
        met.add(id);
      }
    }
  }
  return met;
}

/** Finds the devices that do not show the manifest that they should. */
function createFindBehind(database: Source): (devices: readonly OnlineDevice[]) => Promise<Set<string>> {
  return async (devices) => {
    const behind = new Set<string>();
    if (devices.length === 0) {
      return behind;
    }
    // With what other nodes have changed.
    await database.manifestBuilder();
    await database.manifests.readDevices(devices.map(({ id }) => id));
    for (const { id, applied_manifest_revision: applied } of devices) {
      const target = database.manifests.derive(id) ?? (await database.manifestRevisionOf(id));
      if (target !== null && target !== applied) {
        behind.add(id);
      }
    }
    return behind;
  };
}

/** Finds the devices that showed nothing at their last heartbeat although a playlist was due then, and still is. */
function createFindIdle(
  database: Source,
  nowMs: number,
): (devices: readonly OnlineDevice[]) => Promise<Set<string>> {
  const schedules = createScheduleEvaluator();
  /** Devices that are reached alike show the same; by minute. */
  const known = new Map<SharedPart, Map<number, boolean>>();
  return async (devices) => {
    const idle = new Set<string>();
    const silent = devices.filter(({ current }) => current === null).map(({ id }) => id);
    if (silent.length === 0) {
      return idle;
    }
    const manifests = await database.manifestBuilder();
    for (const device of await database.devices.findListed(silent)) {
      const part = manifests.partOf(manifests.classOf(device));
      const isDueAt = known.get(part) ?? new Map<number, boolean>();
      known.set(part, isDueAt);
      const isDue = (atMs: number): boolean => {
        const minute = Math.floor(atMs / MINUTE_MS);
        const due =
          isDueAt.get(minute) ??
          schedules.evaluate(manifests, device, minute * MINUTE_MS).playlist_id !== null;
        isDueAt.set(minute, due);
        return due;
      };
      if (device.last_heartbeat !== null && isDue(nowMs) && isDue(device.last_heartbeat)) {
        idle.add(device.id);
      }
    }
    return idle;
  };
}
