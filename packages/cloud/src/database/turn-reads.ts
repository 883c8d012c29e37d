import type Sqlite from 'better-sqlite3';
import { atEndOfTurn, requestTurn } from '../event-loop/request-turn.ts';

/** Reads on the connection that writes, between its transactions. */
export interface TurnReads {
  /** True while a transaction of reads is open, which must end before anything is written. */
  isOpen: () => boolean;
  /** Runs synchronous reads in the transaction that all requests of a turn share, or else in one of their own. */
  run: <T>(read: () => T) => T;
  /** Ends the transaction of the turn, if it is open; later reads of the turn open another. */
  end: () => void;
}

/**
 * A transaction takes and gives back SQLite's locks, which are system calls: as dear as reading a row. All requests of a
 * turn had arrived before it began, so what was committed at its first read is as good for the others.
 */
export function createTurnReads(writer: Sqlite.Database): TurnReads {
  const begin = writer.prepare('begin');
  const commit = writer.prepare('commit');
  let isOpen = false;
  const end = (): void => {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    // After some errors SQLite has ended the transaction itself.
    if (writer.inTransaction) {
      commit.run();
    }
  };
  return {
    isOpen: () => isOpen,
    run<T>(read: () => T): T {
      if (isOpen) {
        return read();
      }
      begin.run();
      isOpen = true;
      if (requestTurn() !== null) {
        atEndOfTurn(end);
        return read();
      }
      try {
        return read();
      } finally {
        end();
      }
    },
    end,
  };
}
