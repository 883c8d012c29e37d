import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Clock } from '../domain/clock.ts';

/** It is recorded every 15 s. When that is so late, the process was suspended, or its database away. */
const LATE_MS = 60_000;

export interface Observation {
  /** Since when this node has heard of devices without a gap, as the leader; null while it is not the leader. */
  heardSinceMs: () => number | null;
  /** Records that it has seen it until now. Called at intervals: a crash loses what was seen since the last time. */
  record: () => Promise<void>;
}

export function createObservation({
  database,
  clock,
  isLeader,
}: {
  database: CloudDatabase;
  clock: Clock;
  isLeader: () => boolean;
}): Observation {
  let sinceMs: number | null = clock.nowMs();
  let recordedMs = sinceMs;
  let gapUntilMs = sinceMs;
  return {
    heardSinceMs: () => (isLeader() && sinceMs !== null ? Math.max(sinceMs, gapUntilMs) : null),
    async record(this: void) {
      if (!isLeader()) {
        sinceMs = null;
        return;
      }
      const nowMs = clock.nowMs();
      sinceMs ??= nowMs;
      await database.presence.recordObserved(sinceMs, nowMs);
      if (nowMs - recordedMs > LATE_MS) {
        gapUntilMs = clock.nowMs();
      }
      recordedMs = clock.nowMs();
    },
  };
}
