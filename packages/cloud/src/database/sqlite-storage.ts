import { statSync } from 'node:fs';
import { sql } from 'kysely';
import type { DiskMonitor, DiskStatus } from '../disk/disk-monitor.ts';
import { ignoreStorageFailure, storageFailureOf } from '../domain/storage-failure.ts';
import { createConnectingDevices, createSeenDevices } from './connecting-devices.ts';
import { createCredentials } from './credentials.ts';
import { createDeviceReads } from './device-reads.ts';
import type { RootDb } from './open-database.ts';
import { createOrdinaryHeartbeats } from './ordinary-heartbeats.ts';
import { createOrdinaryPlays } from './ordinary-plays.ts';
import type { Storage } from './storage.ts';

export interface SqliteStorageDeps {
  db: RootDb;
  /** Of the data folder, which holds the database. */
  disk: Pick<DiskMonitor, 'requireSpace' | 'markFull' | 'releaseReserve'> & {
    status(): Pick<DiskStatus, 'freeBytes' | 'reserveBytes'>;
  };
}

export function createSqliteStorage({ db, disk }: SqliteStorageDeps): Storage {
  const ordinaryHeartbeats = createOrdinaryHeartbeats(db.writer);
  const recordOrdinaryPlays = createOrdinaryPlays(db.writer);
  const recordSeen = createSeenDevices(db.writer);

  const runOrdinary = async <T>(work: () => T): Promise<T> => {
    disk.requireSpace();
    try {
      return await db.runInTransaction(work);
    } catch (error) {
      if (storageFailureOf(error) === 'full') {
        disk.markFull();
      }
      throw error;
    }
  };

  const pages = (name: string) => Number(db.reader.pragma(name, { simple: true }));

  /** Whether what is new in the write-ahead log fits into the database; otherwise deletions would lose the reserve for nothing. */
  const fitsWithReserve = (): boolean => {
    const { freeBytes, reserveBytes } = disk.status();
    const growth = pages('page_count') * pages('page_size') - statSync(db.reader.name).size;
    return growth <= freeBytes + reserveBytes;
  };
  const truncate = () => sql`pragma wal_checkpoint(truncate)`.execute(db);

  return {
    db,
    credentials: createCredentials(db),
    connecting: createConnectingDevices(db.reader),
    deviceReads: createDeviceReads(db),
    async transaction(run, { freesSpace = false }) {
      if (!freesSpace) {
        disk.requireSpace();
      }
      try {
        return await db.transaction().execute(run);
      } catch (error) {
        if (storageFailureOf(error) !== 'full') {
          throw error;
        }
        disk.markFull();
        if (!freesSpace || !disk.releaseReserve()) {
          throw error;
        }
        return db.transaction().execute(run);
      }
    },
    async recordOrdinaryHeartbeats(arrived) {
      try {
        return await runOrdinary(() => ordinaryHeartbeats.record(arrived));
      } catch (error) {
        ordinaryHeartbeats.forget();
        throw error;
      }
    },
    recordOrdinaryPlays: (arrived) => runOrdinary(() => recordOrdinaryPlays(arrived)),
    recordSeen: (seen) => runOrdinary(() => recordSeen(seen)),
    async truncateWal() {
      try {
        await truncate().catch((error: unknown) => {
          if (storageFailureOf(error) === 'full' && fitsWithReserve() && disk.releaseReserve()) {
            return truncate();
          }
          throw error;
        });
      } catch (error) {
        ignoreStorageFailure(error);
      }
    },
    async measure() {
      const pageBytes = pages('page_size');
      return {
        bytes: pages('page_count') * pageBytes,
        freeBytes: pages('freelist_count') * pageBytes,
        walBytes: statSync(`${db.reader.name}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      };
    },
    connectionCounts: null,
  };
}
