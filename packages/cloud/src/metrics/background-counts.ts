import type { OperatorCounts } from '../database/operator-counts.ts';
import type { StorageSize } from '../database/storage.ts';
import type { Clock } from '../domain/clock.ts';

/** How often the tables are counted: between two scrapes, and never because of one. */
export const COUNT_INTERVAL_MS = 30_000;

export interface BackgroundCounts {
  /** Of the last count; null before the first. */
  latest: () => { counts: OperatorCounts; size: StorageSize; atMs: number } | null;
  refresh: () => Promise<void>;
}

export interface BackgroundCountsDeps {
  count: () => Promise<OperatorCounts>;
  measureStorage: () => Promise<StorageSize>;
  clock: Pick<Clock, 'nowMs'>;
}

/** Counts what a scrape must not count itself. After a failure the last counts stay, and become old. */
export function createBackgroundCounts({
  count,
  measureStorage,
  clock,
}: BackgroundCountsDeps): BackgroundCounts {
  let latest: ReturnType<BackgroundCounts['latest']> = null;
  return {
    latest: () => latest,
    async refresh() {
      latest = { counts: await count(), size: await measureStorage(), atMs: clock.nowMs() };
    },
  };
}
