import { Fault } from '@placard/protocol';
import type { Clock, Log, Store } from '../../core/ports.ts';
import type { Board } from '../board.ts';

/** One thing that is to be written down. */
export interface PlayEntry {
  kind: 'prepared' | 'started' | 'ended' | 'redated';
  /** Id of the play; null: it belongs to none. */
  play: string | null;
  /** Calls the store; again when it has thrown. */
  write(): void;
}

/** Writes plays down in their order, whatever the disk says. */
export interface PlayWriter {
  /** What the disk does not take now is kept in memory, and written before all that comes later. */
  write(entry: PlayEntry): void;
  /** Counts a play that was shown and can never be told. */
  countLost(): void;
  /** Has another try at what the disk did not take. */
  retry(): void;
  /** Nobody wants what is not written yet. */
  forget(): void;
  /** All is on disk. */
  readonly settled: boolean;
}

export interface PlayWriterDeps {
  clock: Clock;
  store: Store;
  board: Board;
  /** Entries that are kept in memory at most; then the oldest play is given up, and counted. */
  mostOwed: number;
  log: Log;
}

/** So that a try that fails costs little. */
const BATCH = 100;

/**
 * What is on the disk is at every instant what was true some time ago: a later entry is never there without the
 * earlier ones, so no play is found open long after it ended.
 */
export function createPlayWriter(deps: PlayWriterDeps): PlayWriter {
  const { clock, store, log } = deps;
  const faults = deps.board.voice();
  let owed: PlayEntry[] = [];
  let lost = 0;
  let failing = false;

  function retry(): void {
    try {
      while (owed.length > 0 || lost > 0) writeBatch();
      if (failing) faults.clear();
      failing = false;
    } catch (error) {
      if (!failing) log.error({ error: String(error) }, 'play.not_written');
      failing = true;
      const unwritten = owed.filter((entry) => entry.kind === 'ended').length;
      if (error instanceof Fault) faults.raise(error.code, { ...error.facts, plays_unwritten: unwritten });
    }
  }

  function writeBatch(): void {
    const batch = owed.slice(0, BATCH);
    const count = lost;
    store.together(() => {
      for (const entry of batch) entry.write();
      if (count > 0) store.countDropped(count, clock.wall());
    });
    owed = owed.slice(batch.length);
    lost -= count;
  }

  /** Gives up the oldest play that has not touched the disk: one that has would stand open there for ever. */
  function makeRoom(): void {
    const oldest = owed.find((entry) => entry.kind === 'prepared');
    if (!oldest) return;
    const ofIt = (entry: PlayEntry) =>
      entry === oldest || (entry.play !== null && entry.play === oldest.play);
    if (owed.some((entry) => entry.kind === 'ended' && ofIt(entry))) lost += 1;
    owed = owed.filter((entry) => !ofIt(entry));
  }

  return {
    write(entry) {
      owed.push(entry);
      if (owed.length > deps.mostOwed) makeRoom();
      retry();
    },
    countLost() {
      lost += 1;
      retry();
    },
    retry,
    forget() {
      owed = [];
      lost = 0;
    },
    get settled() {
      return owed.length === 0 && lost === 0;
    },
  };
}
