/** A device that meets the condition of a rule now. */
export interface MatchingDevice {
  /** The store that it is in. */
  storeId: string | null;
  /** Infinity: it is muted, there is no alert for it now, however long it has been so. */
  sinceMs: number;
}

/** What minutes mean in a store: those that count there. */
export interface StoreTimes {
  /** What has lasted since then has lasted as long as the rule says; null: nothing has. */
  dueMs: number | null;
  /** What has lasted since then does not wait to see what becomes of other devices of the store. */
  overdueMs: number | null;
  /** Until when a device must have it to have it together with one that has it since the timestamp. */
  togetherUntilMs: (sinceMs: number) => number;
}

/** What is known of the devices that a rule watches. */
export interface AlertInput {
  matching: ReadonlyMap<string, MatchingDevice>;
  /** Whether a device of an alert that does not meet the condition is watched by the rule: it is there, and its filter finds it. */
  isWatched: (deviceId: string) => boolean;
  /** Whether the device may still meet the condition, or not: nothing was heard of it. */
  isUnknown: (deviceId: string) => boolean;
  timesOf: (storeId: string | null) => StoreTimes;
  /** Devices that the rule watches, of each store with devices that are due. */
  watched: ReadonlyMap<string, number>;
  /** Devices of each store that will meet the condition soon, unless what they send next says otherwise. */
  suspects: ReadonlyMap<string, number>;
  /** What has begun until then was reported by each device that has it. Later, any device may have it, too. */
  reportedUntilMs: number;
}

export interface OpenAlert {
  id: string;
  kind: 'device' | 'store' | 'all';
  ref: string;
  /** Since when it is over for each device; null while it is not. */
  devices: ReadonlyMap<string, number | null>;
}

export interface AlertPlan {
  open: { kind: OpenAlert['kind']; ref: string; deviceIds: readonly string[] }[];
  /** Devices that meet the condition, again or for the first time. */
  join: DeviceChange[];
  /** Devices that no longer do. */
  over: DeviceChange[];
  resolve: { alertId: string; because: 'over' | 'not_watched' }[];
}

interface DeviceChange {
  alertId: string;
  deviceIds: readonly string[];
}

export interface AlertPolicy {
  /** All devices are in one alert. */
  isOne: boolean;
  maxOpen: number;
  nowMs: number;
}

/** Devices of a store that have it together, so that the alert is about the store: these, if they are half of it. */
const MIN_OF_STORE = 3;
/** So many are enough however large the store is. */
const MANY_OF_STORE = 10;
/** Between the first and the last of them, while the cloud was running. */
export const TOGETHER_MS = 5 * 60_000;
/** How long it must be over for all devices, so that one that comes and goes is one alert. */
export const RESOLVED_AFTER_MS = 2 * 60_000;

/** Decides what becomes of the alerts of a rule: which are opened, and who joins, who leaves, which are resolved. */
export function planAlerts(alerts: readonly OpenAlert[], input: AlertInput, policy: AlertPolicy): AlertPlan {
  const states = alerts.map((alert) => stateOf(alert, input, policy.nowMs));
  const { open, joined, over } = placeDue(states, input, policy);
  const changes = (of: (state: AlertState) => readonly string[]) =>
    states.map((state) => ({ alertId: state.alert.id, deviceIds: of(state) }));
  return {
    open,
    join: changes(({ alert, back }) => [...back, ...(joined.get(alert) ?? [])]).filter(isChange),
    over: changes((state) => state.over).filter(isChange),
    resolve: [...over].map(({ id, devices }) => ({
      alertId: id,
      because: [...devices.values()].includes(null) ? 'not_watched' : 'over',
    })),
  };
}

const isChange = ({ deviceIds }: DeviceChange): boolean => deviceIds.length > 0;

export const isEmptyPlan = (plan: AlertPlan): boolean =>
  [plan.open, plan.join, plan.over, plan.resolve].every((part) => part.length === 0);

interface AlertState {
  alert: OpenAlert;
  /** Devices that it was over for, and that have it again. */
  back: readonly string[];
  /** Devices that it is over for now. */
  over: readonly string[];
  /** It has been over for long enough for all of them that are watched. */
  isOver: boolean;
}

function stateOf(
  alert: OpenAlert,
  { matching, isWatched, isUnknown }: AlertInput,
  nowMs: number,
): AlertState {
  const devices = [...alert.devices];
  const idsOf = (which: typeof devices) => which.map(([id]) => id);
  const others = devices.filter(([id]) => !matching.has(id));
  return {
    alert,
    back: idsOf(devices.filter(([id, overSinceMs]) => overSinceMs !== null && matching.has(id))),
    over: idsOf(
      others.filter(([id, overSinceMs]) => overSinceMs === null && isWatched(id) && !isUnknown(id)),
    ),
    isOver:
      others.length === devices.length &&
      others.every(
        ([id, overSinceMs]) =>
          !isWatched(id) || (overSinceMs !== null && overSinceMs <= nowMs - RESOLVED_AFTER_MS),
      ),
  };
}

/** Which alerts the devices get that are due and in none yet, and which are over: one that somebody joins goes on. */
function placeDue(states: readonly AlertState[], input: AlertInput, { isOne, maxOpen }: AlertPolicy) {
  const alerts = states.map(({ alert }) => alert);
  const inAlert = new Set(alerts.flatMap(({ devices }) => [...devices.keys()]));
  const over = new Set(states.filter(({ isOver }) => isOver).map(({ alert }) => alert));
  const open: AlertPlan['open'] = [];
  const joined = new Map<OpenAlert, string[]>();
  const join = (alert: OpenAlert, ids: readonly string[]) => {
    joined.set(alert, [...(joined.get(alert) ?? []), ...ids]);
    over.delete(alert);
  };
  const openOf = new Map(alerts.map((alert) => [`${alert.kind} ${alert.ref}`, alert]));
  /** In one alert of all devices. */
  const rest: string[] = [];

  const byStore = Map.groupBy(input.matching, ([, { storeId }]) => storeId);
  for (const [storeId, devices] of byStore) {
    const times = input.timesOf(storeId);
    const { dueMs } = times;
    const isNew = ([id, { sinceMs }]: MatchingEntry) => !inAlert.has(id) && sinceMs < Infinity;
    const due = devices.filter((each) => dueMs !== null && each[1].sinceMs <= dueMs && isNew(each));
    const storeAlert = openOf.get(`store ${storeId}`);
    if (due.length > 0 && storeAlert) {
      join(
        storeAlert,
        due.map(([id]) => id),
      );
      continue;
    }
    const fresh = devices.filter(isNew);
    const causes =
      isOne || storeId === null
        ? singles(due)
        : causesOf(storeId, due, fresh, {
            ...times,
            ...input,
            // Those that had it before, and muted ones, say nothing of what has happened now.
            watched: (input.watched.get(storeId) ?? 0) - (devices.length - fresh.length),
          });
    for (const cause of causes) {
      if (isOne || alerts.length - over.size + open.length >= maxOpen) {
        rest.push(...cause.deviceIds);
      } else {
        open.push(cause);
      }
    }
  }
  const ofAll = openOf.get('all ');
  if (rest.length > 0 && ofAll) {
    join(ofAll, rest);
  } else if (rest.length > 0) {
    open.push({ kind: 'all', ref: '', deviceIds: rest });
  }
  return { open, joined, over };
}

type MatchingEntry = readonly [id: string, MatchingDevice];

const singles = (devices: readonly MatchingEntry[]): AlertPlan['open'] =>
  devices.map(([id]) => ({ kind: 'device', ref: id, deviceIds: [id] }));

/** Whether so many of the devices of a store that are watched are about the store. */
const isStore = (count: number, watched: number): boolean =>
  count >= MIN_OF_STORE && (count >= MANY_OF_STORE || count * 2 >= watched);

/** For devices that have it together: the store, if these are many, otherwise each that is due, unless it may yet be the store. */
function causesOf(
  storeId: string,
  allDue: readonly MatchingEntry[],
  allFresh: readonly MatchingEntry[],
  { watched: allWatched, suspects, reportedUntilMs, overdueMs, togetherUntilMs }: StoreInput,
): AlertPlan['open'] {
  const causes: AlertPlan['open'] = [];
  let [due, fresh, watched] = [allDue, allFresh, allWatched];
  while (due.length > 0) {
    const untilMs = togetherUntilMs(Math.min(...due.map(([, { sinceMs }]) => sinceMs)));
    const isLater = ([, { sinceMs }]: MatchingEntry) => sinceMs > untilMs;
    const together = fresh.filter((each) => !isLater(each));
    if (isStore(together.length, watched)) {
      return [...causes, { kind: 'store', ref: storeId, deviceIds: together.map(([id]) => id) }];
    }
    const isReported = together.every(([, { sinceMs }]) => sinceMs <= reportedUntilMs);
    const possible = isReported ? together.length + (suspects.get(storeId) ?? 0) : watched;
    const mayBecomeStore = isStore(possible, watched);
    const isTold = (each: MatchingEntry) =>
      !isLater(each) && (!mayBecomeStore || (overdueMs !== null && each[1].sinceMs <= overdueMs));
    causes.push(...singles(due.filter(isTold)));
    watched -= together.length;
    due = due.filter(isLater);
    fresh = fresh.filter(isLater);
  }
  return causes;
}

interface StoreInput extends Omit<StoreTimes, 'dueMs'>, Pick<AlertInput, 'suspects' | 'reportedUntilMs'> {
  /** Of this store, without those that have had it before. */
  watched: number;
}
