import { Fault } from '@placard/protocol';
import type { ServiceDeps } from '../base/service-deps.ts';

/** One queued database write. */
export interface PlayWrite {
  kind: 'prepared' | 'started' | 'ended' | 'times_shifted';
  /** Id of the play; null: belongs to no play. */
  playId: string | null;
  /** Writes to the database; called again after it has thrown. */
  write(): void;
}

interface PlayWriterDeps extends Pick<ServiceDeps, 'clock' | 'database' | 'playerState' | 'log'> {
  /** Maximum number of queued writes; beyond it the oldest play is dropped and counted. */
  maxQueued: number;
}

/** Small, so that a failing attempt is cheap. */
const BATCH = 100;

/**
 * Writes plays to the database in order, also when the disk rejects writes for a while. It always holds a consistent
 * earlier state: no entry is written before the ones that precede it, so that no play is found open long after it ended.
 */
export function createPlayWriter(deps: PlayWriterDeps) {
  const { clock, database, log } = deps;
  const faults = deps.playerState.createFaultSource();
  let queue: PlayWrite[] = [];
  let lostCount = 0;
  let failing = false;

  /** Retries the queued writes. */
  function flush(): void {
    try {
      while (queue.length > 0 || lostCount > 0) {
        writeBatch();
      }
      if (failing) {
        faults.clear();
      }
      failing = false;
    } catch (error) {
      if (!failing) {
        log.error({ error: String(error) }, 'play.write_failed');
      }
      failing = true;
      const unwritten = queue.filter((entry) => entry.kind === 'ended').length;
      if (error instanceof Fault) {
        faults.raise(error.code, { ...error.details, plays_unwritten: unwritten });
      }
    }
  }

  function writeBatch(): void {
    const batch = queue.slice(0, BATCH);
    const count = lostCount;
    database.transaction(() => {
      for (const entry of batch) {
        entry.write();
      }
      if (count > 0) {
        database.addDroppedPlays(count, clock.wallMs());
      }
    });
    queue = queue.slice(batch.length);
    lostCount -= count;
  }

  /** Drops the oldest play with nothing on disk: a play whose start is already written would stay open there. */
  function dropOldestPlay(): void {
    const oldest = queue.find((entry) => entry.kind === 'prepared');
    if (!oldest) {
      return;
    }
    const belongsToOldest = (entry: PlayWrite) =>
      entry === oldest || (entry.playId !== null && entry.playId === oldest.playId);
    if (queue.some((entry) => entry.kind === 'ended' && belongsToOldest(entry))) {
      lostCount += 1;
    }
    queue = queue.filter((entry) => !belongsToOldest(entry));
  }

  return {
    /** Writes that fail are queued in memory and done before all later ones. */
    write(entry: PlayWrite) {
      queue.push(entry);
      if (queue.length > deps.maxQueued) {
        dropOldestPlay();
      }
      flush();
    },
    /** Counts a play that was shown but cannot be reported. */
    countLostPlay() {
      lostCount += 1;
      flush();
    },
    flush,
    /** Drops the queued writes. */
    discard() {
      queue = [];
      lostCount = 0;
    },
    /** Everything is on disk. */
    get isFlushed() {
      return queue.length === 0 && lostCount === 0;
    },
  };
}
