import { setImmediate } from 'node:timers/promises';
import type { IdKind } from '@placard/protocol';
import type { CloudEvent, WebhookNotification } from '../domain/events.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import type { ManifestBuilder } from '../domain/manifest-builder.ts';
import { createFairMutex } from '../domain/fair-mutex.ts';
import { idempotentResponseRepository } from './idempotent-responses.ts';
import { apiKeyRepository } from './api-keys.ts';
import { auditRepository } from './audit-log.ts';
import { assetRepository } from './assets.ts';
import { commandRepository } from './commands.ts';
import type { Db } from './db.ts';
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
import type { Storage, TransactionOptions } from './storage.ts';
import { storeRepository } from './stores.ts';
import { webhookRepository } from './webhooks.ts';
import { createManifestChanges } from './manifest-changes.ts';
import type { ManifestChange } from './manifest-changes.ts';
import { createManifests } from './manifests.ts';
import type { Manifests, ManifestUpdate } from './manifests.ts';
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

export interface CloudDatabase
  extends
    Repositories,
    Pick<
      Storage,
      | 'credentials'
      | 'connecting'
      | 'recordOrdinaryHeartbeats'
      | 'recordOrdinaryPlays'
      | 'recordSeen'
      | 'truncateJournal'
    > {
  /**
   * One at a time. `run` may be called again after an attempt that was rolled back, so it changes nothing but the
   * transaction. `owner`: who may ask for many changes at once; they have their turns with those of others.
   */
  transaction<T>(
    run: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions & { owner?: string | null },
  ): Promise<T>;
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
  /** True if the database responds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface CloudDatabaseDeps extends ManifestInputsDeps {
  storage: Storage;
  newId: (kind: IdKind) => string;
  /** Called with the published events after each commit. */
  publish: (events: readonly CloudEvent[]) => void;
}

export function createCloudDatabase(deps: CloudDatabaseDeps): CloudDatabase {
  const { storage, clock } = deps;
  const { db, connecting } = storage;
  const manifests = createManifests({ ...deps, db, findDevices: connecting.findManifestDevices });
  // With SQLite nothing in a transaction yields to the event loop by itself, so a series of them would block it.
  const mutex = createFairMutex(() => setImmediate());

  const runTransaction = async <T>(
    run: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> => {
    /** Of an attempt that came to its end. */
    let finished: ManifestUpdate | null = null;
    const attempt = async (trx: Db) => {
      finished = null;
      const repositoriesInTx = repositories(trx);
      const changes = createManifestChanges();
      const published: CloudEvent[] = [];
      const tx: Transaction = {
        ...repositoriesInTx,
        invalidateManifests: (change) => changes.add(change),
        manifestBuilder: () => manifests.builderIn(trx, changes),
        publishOnCommit: (event) => void published.push(event),
        async notifyWebhooks(notice) {
          const queued = await repositoriesInTx.webhooks.enqueue(
            notice,
            () => deps.newId('delivery'),
            clock.nowMs(),
          );
          if (queued > 0) {
            published.push({ type: 'webhook_deliveries_pending' });
          }
        },
      };
      const result = await run(tx);
      const update = await manifests.readUpdate(trx, changes);
      finished = update;
      return { result, update, events: published };
    };
    const { result, update, events } = await storage.transaction(attempt, options).catch((error: unknown) => {
      if (finished && storageFailureOf(error) === 'database_unavailable') {
        // It may have been committed: the answer to the commit was lost.
        manifests.drop();
      }
      throw error;
    });
    manifests.commit(update);
    if (update.content || update.deviceIds.length > 0) {
      events.push({ type: 'manifests_changed', deviceIds: update.content ? null : update.deviceIds });
    }
    deps.publish(events);
    return result;
  };

  return {
    ...repositories(db),
    ...storage,
    transaction: (run, { owner = null, ...options } = {}) =>
      mutex.runExclusive(owner, () => runTransaction(run, options)),
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
    async ping() {
      await db.selectFrom('organization').select('id').execute();
      return true;
    },
    close: () => db.destroy(),
  };
}
