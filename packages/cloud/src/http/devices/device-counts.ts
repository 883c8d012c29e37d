import type { DeviceCounts } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { Clock } from '../../domain/clock.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { countBehind } from './list-by-revision.ts';

/** Comparing the revisions of 10,000 devices takes a tenth of a second, so an answer serves all who ask within this time. */
const BEHIND_KEPT_MS = 60_000;
/** People who are bound to stores have answers of their own. */
const MAX_KEPT = 100;

interface Kept {
  atMs: number;
  behind: Promise<number>;
}

/** Counts devices for whoever asks; `stores` are those that a person is bound to. */
export function createDeviceCounter(
  database: CloudDatabase,
  clock: Clock,
): (stores: readonly string[] | undefined) => Promise<DeviceCounts> {
  const kept = new Map<string, Kept>();

  const readBehind = (stores: readonly string[] | undefined): Promise<number> => {
    const key = stores?.toSorted().join() ?? 'all';
    const found = kept.get(key);
    if (found && clock.nowMs() - found.atMs < BEHIND_KEPT_MS) {
      return found.behind;
    }
    const behind = countBehind(database, { status: 'online', stores });
    kept.delete(key);
    kept.set(key, { atMs: clock.nowMs(), behind });
    behind.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) {
      kept.delete(oldest);
    }
    return behind;
  };

  return async (stores) => {
    const faults = await database.devices.countFaults({ stores });
    const yieldIfLong = createYieldIfLong();
    const { total, online, versions } = await database.devices.countByVersion({ stores }, yieldIfLong);
    const behind = await readBehind(stores);
    return { total, online, offline: total - online, behind, faults, player_versions: versions };
  };
}
