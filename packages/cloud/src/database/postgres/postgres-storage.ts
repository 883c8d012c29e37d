import { sql } from 'kysely';
import type { Db } from '../db.ts';
import type { ConnectionCounts, Storage } from '../storage.ts';
import { createConnectingDevices, recordSeen } from './connecting-devices.ts';
import { createCredentials } from './credentials.ts';
import { recordOrdinaryHeartbeats } from './ordinary-heartbeats.ts';
import { recordOrdinaryPlays } from './ordinary-plays.ts';
import { retryConflicts } from './retry-conflicts.ts';

/** The database itself, as opposed to a transaction of it. */
export type PostgresDb = Db & { connectionCounts: () => ConnectionCounts };

/** Of the lock that a transaction holds: any number that nothing else in the database uses. */
const WRITER_LOCK = 7_314_209_586;

export function createPostgresStorage(db: PostgresDb): Storage {
  /** Each statement sees what was committed before it, whatever the default of the server is. */
  const begin = <T>(run: (trx: Db) => Promise<T>): Promise<T> =>
    retryConflicts(() => db.transaction().setIsolationLevel('read committed').execute(run));

  return {
    db,
    credentials: createCredentials(db),
    connecting: createConnectingDevices(db),
    deviceReads: null,
    // One at a time, of all nodes: what one reads, no other changes before it ends. The hot paths do not take the lock.
    transaction: (run) =>
      begin(async (trx) => {
        await sql`select pg_advisory_xact_lock(${WRITER_LOCK})`.execute(trx);
        return run(trx);
      }),
    recordOrdinaryHeartbeats: (arrived) => begin((trx) => recordOrdinaryHeartbeats(trx, arrived)),
    recordOrdinaryPlays: (arrived) => begin((trx) => recordOrdinaryPlays(trx, arrived)),
    recordSeen: (seen) => begin((trx) => recordSeen(trx, seen)),
    truncateWal: async () => {},
    async measure() {
      const { rows } = await sql<{
        bytes: number;
      }>`select pg_database_size(current_database()) as bytes`.execute(db);
      return { bytes: rows[0]!.bytes, freeBytes: null, walBytes: null };
    },
    connectionCounts: db.connectionCounts,
  };
}
