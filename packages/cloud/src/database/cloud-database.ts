import { setImmediate } from 'node:timers/promises';
import type { IdKind } from '@placard/protocol';
import { sql } from 'kysely';
import type { CloudEvent, WebhookNotification } from '../domain/events.ts';
import { ignoreStorageFailure, storageFailureOf } from '../domain/storage-failure.ts';
import { createManifestBuilder } from '../domain/manifest-builder.ts';
import type { HashFunction, ManifestBuilder } from '../domain/manifest-builder.ts';
import { createFairMutex } from '../domain/fair-mutex.ts';
import { idempotentResponseRepository } from './idempotent-responses.ts';
import { apiKeyRepository } from './api-keys.ts';
import { auditRepository } from './audit-log.ts';
import { assetRepository } from './assets.ts';
import { commandRepository } from './commands.ts';
import type { Db } from './open-database.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import { deploymentRepository } from './deployments.ts';
import { deviceRepository } from './devices.ts';
import { folderRepository } from './folders.ts';
import { heartbeatRepository } from './heartbeats.ts';
import { organizationRepository } from './organization.ts';
import { pairingRepository } from './pairings.ts';
import { createYieldIfLong } from '../event-loop/yield-if-long.ts';
import { playlistRepository } from './playlists.ts';
import { presenceRepository } from './presence.ts';
import { playRepository } from './plays.ts';
import { scheduleRepository } from './schedules.ts';
import { storeRepository } from './stores.ts';
import { webhookRepository } from './webhooks.ts';
import { readManifestInputs } from './manifest-inputs.ts';
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
  /**
   * Marks the manifests that the change may affect. Their revisions are recomputed before the commit; changed ones
   * are pushed after it.
   */
  invalidateManifests(whom: 'all' | { deviceId: string }): void;
  /** Recomputes the affected revisions now, for a response that contains them. */
  recomputeManifests(): Promise<ManifestBuilder>;
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
  /** Builds manifests from the committed state; cached until that changes. */
  manifestBuilder(): Promise<ManifestBuilder>;
  /** Truncates the write-ahead log as far as possible now. */
  truncateJournal(): Promise<void>;
  /** True if the database responds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface CloudDatabaseDeps extends ManifestInputsDeps {
  db: Db;
  newId: (kind: IdKind) => string;
  hash: HashFunction;
  /** Called with the published events after each commit. */
  publish: (events: readonly CloudEvent[]) => void;
  disk: Pick<DiskMonitor, 'requireSpace' | 'markFull' | 'releaseReserve'>;
}

export function createCloudDatabase(deps: CloudDatabaseDeps): CloudDatabase {
  const { db, clock, disk } = deps;
  // Yields to the event loop in between, but other database queries wait until the transaction has ended.
  const buildManifests = async (from: Db, yieldIfLong = createYieldIfLong()) =>
    createManifestBuilder(await readManifestInputs(from, deps, yieldIfLong), deps.hash);
  /** The manifests of the last committed state, by epoch. */
  let cached: { epoch: number; manifests: ManifestBuilder } | null = null;
  let building: Promise<ManifestBuilder> | null = null;
  // Nothing in a transaction yields to the event loop by itself, so a series of them would block it.
  const mutex = createFairMutex(() => setImmediate());

  const runTransaction = async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const events: CloudEvent[] = [];
    let recomputed: typeof cached = null;
    const result = await db.transaction().execute(async (trx) => {
      const repositoriesInTx = repositories(trx);
      let isEveryDeviceAffected = false;
      const affectedDeviceIds = new Set<string>();

      const recomputeManifests = async (): Promise<ManifestBuilder> => {
        if (isEveryDeviceAffected) {
          await repositoriesInTx.organization.incrementEpoch();
        }
        const { epoch } = await repositoriesInTx.organization.get();
        // A change of a single device leaves the inputs as they were.
        const yieldIfLong = createYieldIfLong();
        const manifests = cached?.epoch === epoch ? cached.manifests : await buildManifests(trx, yieldIfLong);
        recomputed = { epoch, manifests };
        const devices = isEveryDeviceAffected
          ? await repositoriesInTx.devices.listManifestDevices()
          : (
              await Promise.all(
                [...affectedDeviceIds].map((id) => repositoriesInTx.devices.listManifestDevices(id)),
              )
            ).flat();
        isEveryDeviceAffected = false;
        affectedDeviceIds.clear();
        const revisions = await manifests.revisionsOf(
          devices.map(({ device }) => device),
          yieldIfLong,
        );
        const changed = devices.flatMap(({ device, revision: previousRevision }) => {
          const revision = revisions.get(device) ?? manifests.revisionOf(device);
          return revision === previousRevision ? [] : [{ id: device.id, revision }];
        });
        await repositoriesInTx.devices.setManifestRevisions(changed);
        for (const { id, revision } of changed) {
          events.push({ type: 'manifest_changed', deviceId: id, revision });
        }
        return manifests;
      };

      const tx: Transaction = {
        ...repositoriesInTx,
        invalidateManifests(whom) {
          if (whom === 'all') {
            isEveryDeviceAffected = true;
          } else {
            affectedDeviceIds.add(whom.deviceId);
          }
        },
        recomputeManifests,
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
      const value = await run(tx);
      if (isEveryDeviceAffected || affectedDeviceIds.size > 0) {
        await recomputeManifests();
      }
      return value;
    });
    cached = recomputed ?? cached;
    deps.publish(events);
    return result;
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
    async manifestBuilder() {
      const { epoch } = await db.selectFrom('organization').select('epoch').executeTakeFirstOrThrow();
      if (cached?.epoch === epoch) {
        return cached.manifests;
      }
      building ??= db
        .transaction()
        .execute(async (trx) => {
          const now = await trx.selectFrom('organization').select('epoch').executeTakeFirstOrThrow();
          // A transaction that this one waited for may have built them.
          if (cached?.epoch !== now.epoch) {
            cached = { epoch: now.epoch, manifests: await buildManifests(trx) };
          }
          return cached.manifests;
        })
        .finally(() => (building = null));
      return building;
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
