import { openingHoursOf } from '../../database/alert-rules.ts';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { TOGETHER_MS } from '../../domain/alert-plan.ts';
import type { AlertInput, OpenAlert } from '../../domain/alert-plan.ts';
import { OFFLINE_AFTER_MS } from '../../domain/presence.ts';
import { isFresh } from './look.ts';
import type { Look, LookedAtRule } from './look.ts';

const MINUTE_MS = 60_000;
/** A device sends something every minute: one that was silent for this long may be gone. */
const SILENT_MS = 90_000;
/** How long a device waits at most to see whether its whole store is gone. */
const STORE_WAIT_MS = OFFLINE_AFTER_MS;

/** What else is to be known for a plan of the devices that meet the condition and the open alerts. */
export async function readPlanInput(
  { watchedDevices }: Pick<CloudDatabase, 'watchedDevices'>,
  { condition, filter, row }: LookedAtRule,
  matching: AlertInput['matching'],
  /** Devices of which nothing is known now, besides those that have not reported. */
  unknownDevices: ReadonlySet<string>,
  open: readonly OpenAlert[],
  look: Look,
): Promise<AlertInput> {
  const isOffline = condition.type === 'offline';
  const time = look.countedTime(openingHoursOf(row));
  // Devices have some time to report after the cloud has started.
  const isSettled = !isOffline || look.observingSinceMs <= look.nowMs - OFFLINE_AFTER_MS;
  const dueMs = (storeId: string | null) =>
    isSettled ? time.startOf(storeId, condition.minutes * MINUTE_MS) : null;
  const inAlert = new Set(open.flatMap(({ devices }) => [...devices.keys()]));
  const stores = new Set<string>();
  for (const [id, { storeId, sinceMs }] of matching) {
    if (storeId !== null && sinceMs <= (dueMs(storeId) ?? -Infinity) && !inAlert.has(id)) {
      stores.add(storeId);
    }
  }
  const others = [...inAlert].filter((id) => !matching.has(id));
  const unheard = new Set(
    isOffline
      ? []
      : (await watchedDevices.find(others)).filter((device) => !isFresh(device, look)).map(({ id }) => id),
  );
  return {
    matching,
    isUnknown: (id) => unheard.has(id) || unknownDevices.has(id),
    timesOf: (storeId) => ({
      dueMs: dueMs(storeId),
      overdueMs: time.startOf(storeId, condition.minutes * MINUTE_MS + STORE_WAIT_MS),
      togetherUntilMs: (sinceMs) => time.endOf(storeId, sinceMs, TOGETHER_MS),
    }),
    watched: await watchedDevices.countByStore(filter, [...stores]),
    suspects: isOffline
      ? await watchedDevices.countSilentByStore(filter, [...stores], look.nowMs - SILENT_MS)
      : new Map(),
  };
}
