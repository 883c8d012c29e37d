import { openingHoursOf } from '../database/alert-rules.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { TOGETHER_MS } from '../domain/alert-plan.ts';
import type { AlertInput, OpenAlert } from '../domain/alert-plan.ts';
import { HEARTBEAT_INTERVAL_SECONDS, OFFLINE_AFTER_MS } from '../domain/presence.ts';
import { isFresh } from './look.ts';
import type { Look, LookedAtRule, Matching } from './look.ts';

const MINUTE_MS = 60_000;
/** Each device that is online has reported within this time. */
const REPORTED_MS = HEARTBEAT_INTERVAL_SECONDS * 1000;
/** One that was silent for this long may be gone. */
const SILENT_MS = 90_000;

/** What else is to be known for a plan of the devices that meet the condition and the open alerts. */
export async function readPlanInput(
  { watchedDevices }: Pick<CloudDatabase, 'watchedDevices'>,
  { condition, filter, row }: LookedAtRule,
  matching: AlertInput['matching'],
  { unknown, pictures }: Matching,
  open: readonly OpenAlert[],
  look: Look,
): Promise<AlertInput> {
  const isOffline = condition.type === 'offline';
  const time = look.countedTime(openingHoursOf(row));
  // Devices have some time to report after the cloud has started.
  const isSettled = !isOffline || look.observingSinceMs <= look.nowMs - OFFLINE_AFTER_MS;
  const dueMs = (storeId: string | null) =>
    isSettled ? time.startOf(storeId, condition.minutes * MINUTE_MS) : null;
  // Pictures of a store come one after the other.
  const togetherMs = (storeId: string | null) => TOGETHER_MS + (pictures.get(storeId ?? '')?.intervalMs ?? 0);
  /** How long a device waits at most to see whether its whole store has it. */
  const waitMs = (storeId: string | null) => (isOffline ? OFFLINE_AFTER_MS : togetherMs(storeId));
  const reportedUntilMs = look.nowMs - REPORTED_MS;
  const hasHeardAll = look.observingSinceMs <= reportedUntilMs;
  const inAlert = new Set(open.flatMap(({ devices }) => [...devices.keys()]));
  const stores = new Set<string>();
  for (const [id, { storeId, sinceMs }] of matching) {
    if (storeId !== null && sinceMs <= (dueMs(storeId) ?? -Infinity) && !inAlert.has(id)) {
      stores.add(storeId);
    }
  }
  const others = [...inAlert].filter((id) => !matching.has(id));
  const watchedOthers = await watchedDevices.find(others, filter);
  const unwatched = new Set(others);
  for (const { id } of watchedOthers) {
    unwatched.delete(id);
  }
  const unheard = new Set(
    isOffline ? [] : watchedOthers.filter((device) => !isFresh(device, look)).map(({ id }) => id),
  );
  return {
    matching,
    isWatched: (id) => !unwatched.has(id),
    isUnknown: (id) => unheard.has(id) || unknown.has(id),
    timesOf: (storeId) => ({
      dueMs: dueMs(storeId),
      // Of a mute that has ended while the cloud was down, all are overdue before the others of their store have reported.
      overdueMs:
        isOffline || hasHeardAll
          ? time.startOf(storeId, condition.minutes * MINUTE_MS + waitMs(storeId))
          : null,
      togetherUntilMs: (sinceMs) => time.endOf(storeId, sinceMs, togetherMs(storeId)),
    }),
    watched: await watchedDevices.countByStore(filter, [...stores]),
    suspects: isOffline
      ? await watchedDevices.countSilentByStore(filter, [...stores], look.nowMs - SILENT_MS)
      : new Map([...pictures].map(([storeId, { suspects }]) => [storeId, suspects])),
    reportedUntilMs: isOffline ? Infinity : hasHeardAll ? reportedUntilMs : -Infinity,
  };
}
