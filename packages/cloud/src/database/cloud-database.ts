import { setImmediate } from 'node:timers/promises';
import type { IdKind } from '@placard/protocol';
import type Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { CloudEvent, WebhookNotification } from '../domain/events.ts';
import { ignoreStorageFailure, storageFailureOf } from '../domain/storage-failure.ts';
import type { ManifestBuilder } from '../domain/manifest-builder.ts';
import { createFairMutex } from '../domain/fair-mutex.ts';
import { idempotentResponseRepository } from './idempotent-responses.ts';
import { apiKeyRepository } from './api-keys.ts';
import { auditRepository } from './audit-log.ts';
import { assetRepository } from './assets.ts';
import { commandRepository } from './commands.ts';
import { createConnectingDevices, createSeenDevices } from './connecting-devices.ts';
import type { ConnectingDevices, SeenDevice } from './connecting-devices.ts';
import { createCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import type { Db } from './db.ts';
import type { RootDb } from './open-database.ts';
import { createOrdinaryHeartbeats } from './ordinary-heartbeats.ts';
import type { ArrivedHeartbeat, RecordedHeartbeat } from './ordinary-heartbeats.ts';
import { createOrdinaryPlays } from './ordinary-plays.ts';
import type { ArrivedPlays, RecordedPlays } from './ordinary-plays.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import { deploymentRepository } from './deployments.ts';
import { deviceRepository } from './devices.ts';
import { folderRepository } from './folders.ts';
import { heartbeatRepository } from './heartbeats.ts';
import { organizationRepository } from './organization.ts';
import { pairingRepository } from './pairings.ts';
import { playlistRepository } from './playlists.ts';
import { presenceRepository } from './presence.ts';
import { playRepository } from './plays.ts';
import { scheduleRepository } from './schedules.ts';
import { storeRepository } from './stores.ts';
import { webhookRepository } from './webhooks.ts';
import { createManifestChanges } from './manifest-changes.ts';
import type { ManifestChange } from './manifest-changes.ts';
import { createManifests } from './manifests.ts';
import type { Manifests } from './manifests.ts';
import type { ManifestInputsDeps } from './manifest-inputs.ts';

function repositories(db: Db) {
  return {
    organization: organizationRepository(db),
    apiKeys: apiKeyRepository(db),
    assets: assetRepository(db),
    folders: folderRepository(db),
    playlists: playlistRepository(db),
    schedules: scheduleRepository(db),
    stores: storeRepository(db),
    devices: deviceRepository(db),
    pairings: pairingRepository(db),
    deployments: deploymentRepository(db),
    commands: commandRepository(db),
    heartbeats: heartbeatRepository(db),
    plays: playRepository(db),
    presence: presenceRepository(db),
    webhooks: webhookRepository(db),
    idempotentResponses: idempotentResponseRepository(db),
    audit: auditRepository(db),
  };
}

export type Repositories = ReturnType<typeof repositories>;

/** A unit of work: committed completely, or not at all. */
export interface Transaction extends Repositories {
  /** Says what the transaction has touched of what manifests are built from; connected devices are told after the commit. */
  invalidateManifests(change: ManifestChange): void;
  /** Builds manifests of the state with the changes so far, for a response that contains revisions. */
  manifestBuilder(): Promise<ManifestBuilder>;
  publishOnCommit(event: CloudEvent): void;
  /** Queues webhook deliveries within this transaction. */
  notifyWebhooks(notice: WebhookNotification): Promise<void>;
}

export interface CloudDatabase extends Repositories {
  /**
   * `freesSpace`: the change makes room, so it may use what is set aside for that; it is run again when it did not fit at
   * first. Any other change that does not fit fails with an error that `storageFailureOf` recognizes.
   * `owner`: who may ask for many changes at once; they have their turns with those of others.
   */
  transaction<T>(
    run: (tx: Transaction) => Promise<T>,
    options?: { freesSpace?: boolean; owner?: string | null },
  ): Promise<T>;
  /**
   * Records the ordinary ones among the heartbeats in one transaction; nothing is written for the others, whose result
   * is null. Fails as `transaction` does.
   */
  recordOrdinaryHeartbeats(arrived: readonly ArrivedHeartbeat[]): Promise<RecordedHeartbeat[]>;
  /**
   * Records the ordinary ones among the plays of some devices in one transaction, by device id; nothing is written for
   * the others. Fails as `transaction` does.
   */
  recordOrdinaryPlays(arrived: readonly ArrivedPlays[]): Promise<Map<string, RecordedPlays>>;
  /**
   * Stores in one transaction when devices that are online were last seen; returns the others, for which nothing is
   * written. Fails as `transaction` does.
   */
  recordSeen<T extends SeenDevice>(seen: readonly T[]): Promise<T[]>;
  credentials: Credentials;
  connecting: ConnectingDevices;
  manifests: Pick<Manifests, 'derive' | 'readDevices' | 'find'>;
  /** Builds manifests of the last committed state. */
  manifestBuilder(): Promise<ManifestBuilder>;
  /**
   * The revision that the device should have, at once when it was asked for before; null for no device. Not within a
   * transaction, for which it might wait.
   */
  manifestRevisionOf(deviceId: string): string | Promise<string | null>;
  /** Reads again what manifests are built from, after a change outside the database: of URLs or time zone data. */
  reloadManifests(): Promise<void>;
  /** Truncates the write-ahead log as far as possible now. */
  truncateJournal(): Promise<void>;
  /** True if the database responds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface CloudDatabaseDeps extends ManifestInputsDeps {
  db: RootDb;
  newId: (kind: IdKind) => string;
  /** Called with the published events after each commit. */
  publish: (events: readonly CloudEvent[]) => void;
  disk: Pick<DiskMonitor, 'requireSpace' | 'markFull' | 'releaseReserve'>;
}

export function createCloudDatabase(deps: CloudDatabaseDeps): CloudDatabase {
  const { db, clock, disk } = deps;
  const connecting = createConnectingDevices(db.reader);
  const manifests = createManifests({ ...deps, findDevice: connecting.findManifestDevice });
  const recordOrdinaryHeartbeats = createOrdinaryHeartbeats();
  const recordOrdinaryPlays = createOrdinaryPlays();
  const recordSeen = createSeenDevices();
  // Nothing in a transaction yields to the event loop by itself, so a series of them would block it.
  const mutex = createFairMutex(() => setImmediate());

  const runTransaction = async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const events: CloudEvent[] = [];
    const { result, update } = await db.transaction().execute(async (trx) => {
      const repositoriesInTx = repositories(trx);
      const changes = createManifestChanges();
      const tx: Transaction = {
        ...repositoriesInTx,
        invalidateManifests: (change) => changes.add(change),
        manifestBuilder: () => manifests.builderIn(trx, changes),
        publishOnCommit: (event) => void events.push(event),
        async notifyWebhooks(notice) {
          const queued = await repositoriesInTx.webhooks.enqueue(
            notice,
            () => deps.newId('delivery'),
            clock.nowMs(),
          );
          if (queued > 0) {
            events.push({ type: 'webhook_deliveries_pending' });
          }
        },
      };
      return { result: await run(tx), update: await manifests.readUpdate(trx, changes) };
    });
    manifests.commit(update);
    if (update.content || update.deviceIds.length > 0) {
      events.push({ type: 'manifests_changed', deviceIds: update.content ? null : update.deviceIds });
    }
    deps.publish(events);
    return result;
  };

  const runOrdinary = async <T>(work: (writer: Sqlite.Database) => T): Promise<T> => {
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

  return {
    ...repositories(db),
    transaction: (run, { freesSpace = false, owner = null } = {}) =>
      mutex.runExclusive(owner, async () => {
        if (!freesSpace) {
          disk.requireSpace();
        }
        try {
          return await runTransaction(run);
        } catch (error) {
          if (storageFailureOf(error) !== 'full') {
            throw error;
          }
          disk.markFull();
          if (!freesSpace || !disk.releaseReserve()) {
            throw error;
          }
          return runTransaction(run);
        }
      }),
    recordOrdinaryHeartbeats: (arrived) => runOrdinary((writer) => recordOrdinaryHeartbeats(writer, arrived)),
    recordOrdinaryPlays: (arrived) => runOrdinary((writer) => recordOrdinaryPlays(writer, arrived)),
    recordSeen: (seen) => runOrdinary((writer) => recordSeen(writer, seen)),
    credentials: createCredentials(db.reader),
    connecting,
    manifests,
    manifestBuilder: manifests.load,
    manifestRevisionOf: (deviceId) =>
      manifests.derive(deviceId)?.revision ??
      manifests.find(deviceId).then((manifest) => manifest?.revision ?? null),
    async reloadManifests() {
      manifests.drop();
      await manifests.load();
      deps.publish([{ type: 'manifests_changed', deviceIds: null }]);
    },
    async truncateJournal() {
      await sql`pragma wal_checkpoint(truncate)`.execute(db).catch(ignoreStorageFailure);
    },
    async ping() {
      await db.selectFrom('organization').select('id').execute();
      return true;
    },
    close: () => db.destroy(),
  };
}
