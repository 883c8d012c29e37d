import type { ConnectingDevices, SeenDevice } from './connecting-devices.ts';
import type { Credentials } from './credentials.ts';
import type { Db } from './db.ts';
import type { DeviceReads } from './device-reads.ts';
import type { ArrivedHeartbeat, RecordedHeartbeat } from './ordinary-heartbeats.ts';
import type { ArrivedPlays, RecordedPlays } from './ordinary-plays.ts';

export interface TransactionOptions {
  /**
   * The change makes room, so it may use what is set aside for that; it is run again when it did not fit at first. Any
   * other change that does not fit fails with an error that `storageFailureOf` recognizes.
   */
  freesSpace?: boolean;
}

/** Of the database as it is stored, in bytes. */
export interface StorageSize {
  bytes: number;
  /** Free pages; null where the server keeps them to itself. */
  freeBytes: number | null;
  /** The write-ahead log; null if it is not in the data folder. */
  walBytes: number | null;
}

/** Connections of this node to the server of the database. */
export interface ConnectionCounts {
  inUse: number;
  idle: number;
  /** What waits for one, because all are in use. */
  waiting: number;
}

/**
 * What each engine does in its own way: the hot paths (ADR 0024) and transactions. What a look-up returns is a promise only
 * where it has to wait. All of it fails with errors that `storageFailureOf` recognizes, if the storage is why.
 */
export interface Storage {
  /** For the repositories, which are the same on all engines. */
  readonly db: Db;
  readonly credentials: Credentials;
  readonly connecting: ConnectingDevices;
  /** Null where the repository reads devices as fast as it can be done. */
  readonly deviceReads: DeviceReads | null;
  /** One at a time. `run` may be called again after an attempt that was rolled back. */
  transaction<T>(run: (trx: Db) => Promise<T>, options: TransactionOptions): Promise<T>;
  /**
   * Records the ordinary ones among the heartbeats in one transaction; nothing is written for the others, whose result
   * is null.
   */
  recordOrdinaryHeartbeats(arrived: readonly ArrivedHeartbeat[]): Promise<RecordedHeartbeat[]>;
  /**
   * Records the ordinary ones among the plays of some devices in one transaction, by device id; nothing is written for
   * the others. At most one request per device.
   */
  recordOrdinaryPlays(arrived: readonly ArrivedPlays[]): Promise<Map<string, RecordedPlays>>;
  /**
   * Stores in one transaction when devices that are online were last seen; returns the others, for which nothing is
   * written.
   */
  recordSeen<T extends SeenDevice>(seen: readonly T[]): Promise<T[]>;
  /**
   * Truncates the write-ahead log as far as possible now, if it is on the disk of the data folder; on a full disk with the
   * space of the disk reserve.
   */
  truncateWal(): Promise<void>;
  /** The size of the database; reads no rows. */
  measure(): Promise<StorageSize>;
  /** Null if the database is a file. */
  readonly connectionCounts: (() => ConnectionCounts) | null;
}
