import { setImmediate } from 'node:timers/promises';
import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import { NO_EDIT_TRACING } from '../domain/edit-tracing.ts';
import type { EditTracing } from '../domain/edit-tracing.ts';
import type { CloudEvent, IdentifiedEvent, RecordedEvent } from '../domain/events.ts';
import { ignoreStorageFailure, storageFailureOf } from '../domain/storage-failure.ts';
import type { ManifestBuilder } from '../domain/manifest-builder.ts';
import type { ManifestContent } from '../domain/manifest-content.ts';
import { createFairMutex } from '../domain/fair-mutex.ts';
import { idempotentResponseRepository } from './idempotent-responses.ts';
import { alertMailRepository } from './alert-mails.ts';
import { alertMatchRepository } from './alert-matches.ts';
import { alertMuteRepository } from './alert-mutes.ts';
import { alertRuleRepository } from './alert-rules.ts';
import { alertRepository } from './alerts.ts';
import { apiKeyRepository } from './api-keys.ts';
import { auditRepository } from './audit-log.ts';
import { bulkOperationRepository } from './bulk-operations.ts';
import { assetRepository } from './assets.ts';
import { commandRepository } from './commands.ts';
import type { Db } from './db.ts';
import { decoderRepository } from './decoders.ts';
import { deploymentRepository } from './deployments.ts';
import { deviceRepository } from './devices.ts';
import { eventRepository } from './events.ts';
import { folderRepository } from './folders.ts';
import { invitationRepository } from './invitations.ts';
import { heartbeatRepository } from './heartbeats.ts';
import { organizationRepository } from './organization.ts';
import { pairingRepository } from './pairings.ts';
import { playlistRepository } from './playlists.ts';
import { presenceRepository } from './presence.ts';
import { playRepository } from './plays.ts';
import { renditionRepository } from './renditions.ts';
import { rolloutDeviceRepository } from './rollout-devices.ts';
import { rolloutRepository } from './rollouts.ts';
import { scheduleRepository } from './schedules.ts';
import { sessionRepository } from './sessions.ts';
import type { Storage, TransactionOptions } from './storage.ts';
import { signInTableRepository } from './sign-in-tables.ts';
import { storeRepository } from './stores.ts';
import { tagRepository } from './tags.ts';
import { userRepository } from './users.ts';
import { deviceLogsRepository } from './device-logs.ts';
import { faultScreenshotRepository } from './fault-screenshots.ts';
import { screenshotRepository } from './screenshots.ts';
import { uploadRepository } from './uploads.ts';
import { watchedDeviceRepository } from './watched-devices.ts';
import { webhookRepository } from './webhooks.ts';
import { createManifestChanges } from './manifest-changes.ts';
import type { ManifestChange, ManifestChanges } from './manifest-changes.ts';
import { createManifests } from './manifests.ts';
import { hasNewerMigrations } from './migrate.ts';
import type { Manifests } from './manifests.ts';
import { createNodeLink } from './node-link.ts';
import type { ManifestInputsDeps } from './manifest-inputs.ts';
import { rollBack } from './roll-back.ts';

function repositories(db: Db) {
  return {
    organization: organizationRepository(db),
    apiKeys: apiKeyRepository(db),
    assets: assetRepository(db),
    renditions: renditionRepository(db),
    folders: folderRepository(db),
    playlists: playlistRepository(db),
    schedules: scheduleRepository(db),
    stores: storeRepository(db),
    tags: tagRepository(db),
    devices: deviceRepository(db),
    decoders: decoderRepository(db),
    pairings: pairingRepository(db),
    deployments: deploymentRepository(db),
    commands: commandRepository(db),
    bulkOperations: bulkOperationRepository(db),
    rollouts: rolloutRepository(db),
    rolloutDevices: rolloutDeviceRepository(db),
    heartbeats: heartbeatRepository(db),
    plays: playRepository(db),
    presence: presenceRepository(db),
    alertRules: alertRuleRepository(db),
    alertMatches: alertMatchRepository(db),
    alerts: alertRepository(db),
    alertMails: alertMailRepository(db),
    alertMutes: alertMuteRepository(db),
    watchedDevices: watchedDeviceRepository(db),
    webhooks: webhookRepository(db),
    events: eventRepository(db),
    uploads: uploadRepository(db),
    screenshots: screenshotRepository(db),
    faultScreenshots: faultScreenshotRepository(db),
    deviceLogs: deviceLogsRepository(db),
    idempotentResponses: idempotentResponseRepository(db),
    audit: auditRepository(db),
    users: userRepository(db),
    sessions: sessionRepository(db),
    invitations: invitationRepository(db),
    signInTables: signInTableRepository(db),
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
  /** Publishes the event on the other nodes alone, before any that they are told of later transactions. */
  publishToOthers(event: CloudEvent): void;
  /** Records the event at the end of this transaction, and queues its webhook deliveries. */
  recordEvent(event: RecordedEvent): void;
}

export interface CloudDatabase
  extends
    Repositories,
    Pick<
      Storage,
      | 'credentials'
      | 'connecting'
      | 'deviceReads'
      | 'recordOrdinaryHeartbeats'
      | 'recordOrdinaryPlays'
      | 'recordSeen'
      | 'truncateWal'
    > {
  /**
   * One at a time. `run` may be called again after an attempt that was rolled back, so it changes nothing but the
   * transaction. `owner`: who may ask for many changes at once; they have their turns with those of others. All without owner,
   * as of devices, have theirs together: when 100,000 devices come back at once, a person waits for one of them.
   */
  transaction<T>(
    run: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions & { owner?: string | null },
  ): Promise<T>;
  /**
   * Executes a change in a transaction that is always rolled back: nothing is stored, published or recorded. Returns its
   * result, and what manifests are built from before and after it.
   */
  dryRun<T>(
    run: (tx: Transaction) => Promise<T>,
    options: { owner: string | null },
  ): Promise<{ result: T; before: ManifestContent; after: ManifestContent }>;
  manifests: Pick<Manifests, 'classify' | 'derive' | 'readDevices' | 'find'>;
  /** Builds manifests of the last committed state. */
  manifestBuilder(): Promise<ManifestBuilder>;
  /**
   * The revision that the device should have, at once when it was asked for before; null for no device. Not within a
   * transaction, for which it might wait.
   */
  manifestRevisionOf(deviceId: string): string | Promise<string | null>;
  /** Reads what other nodes have changed, and publishes their events; called when they have left messages. */
  receiveMessages(): Promise<void>;
  /** Reads again what manifests are built from, after a change outside the database: of URLs or time zone data. */
  reloadManifests(): Promise<void>;
  /** True if the database responds. */
  ping(): Promise<boolean>;
  /** Whether a newer program has migrated it, as while a cloud is upgraded: it may have rows of which this one knows nothing. */
  isNewer(): Promise<boolean>;
  close(): Promise<void>;
}

export interface CloudDatabaseDeps extends ManifestInputsDeps {
  storage: Storage;
  newId: (kind: IdKind) => string;
  /** Called with the published events after each commit. */
  publish: (events: readonly CloudEvent[]) => void;
  tracing?: Pick<EditTracing, 'part'>;
  /** Of this node, where several may share the database; null where no other may. */
  node: { id: string; log: Pick<Logger, 'warn'> } | null;
}

export function createCloudDatabase(deps: CloudDatabaseDeps): CloudDatabase {
  const { storage, clock, tracing = NO_EDIT_TRACING } = deps;
  const { db, connecting } = storage;
  const manifests = createManifests({ ...deps, db, findDevices: connecting.findManifestDevices });
  const link =
    deps.node &&
    createNodeLink({
      db,
      nodeId: deps.node.id,
      log: deps.node.log,
      nowMs: () => clock.nowMs(),
      manifests,
      publish: deps.publish,
    });
  // With SQLite nothing in a transaction yields to the event loop by itself, so a series of them would block it.
  const mutex = createFairMutex(() => setImmediate());

  const manifestsIn = (trx: Db, changes: ManifestChanges) => ({
    invalidateManifests: (change: ManifestChange) => changes.add(change),
    async manifestBuilder() {
      // Until the end of this transaction no other changes what manifests are built from.
      await link?.receive();
      return manifests.builderIn(trx, changes);
    },
  });

  const runDry: CloudDatabase['dryRun'] = async (run) => {
    // Outside the transaction, which would otherwise read everything.
    await manifests.load();
    return rollBack(storage, async (trx) => {
      const tx: Transaction = {
        ...repositories(trx),
        ...manifestsIn(trx, createManifestChanges()),
        publishOnCommit() {},
        publishToOthers() {},
        recordEvent() {},
      };
      const { content: before } = await tx.manifestBuilder();
      const result = await run(tx);
      const { content: after } = await tx.manifestBuilder();
      return { result, before, after };
    });
  };

  const runTransaction = async <T>(
    run: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
    traces: readonly string[],
  ): Promise<T> => {
    /** Whether an attempt came to its end. */
    let isFinished = false;
    const attempt = async (trx: Db) => {
      isFinished = false;
      const repositoriesInTx = repositories(trx);
      const changes = createManifestChanges();
      const published: CloudEvent[] = [];
      const publishedToOthers: CloudEvent[] = [];
      const recorded: IdentifiedEvent[] = [];
      const tx: Transaction = {
        ...repositoriesInTx,
        ...manifestsIn(trx, changes),
        publishOnCommit: (event) => void published.push(event),
        publishToOthers: (event) => void publishedToOthers.push(event),
        recordEvent: (event) =>
          void recorded.push({ ...event, id: deps.newId('event'), created_at: clock.nowMs() }),
      };
      const result = await run(tx);
      const update = link
        ? null
        : await tracing.part('manifest.change', () => manifests.readUpdate(trx, changes), traces);
      const queued = await repositoriesInTx.webhooks.enqueue(recorded, () => deps.newId('delivery'));
      if (queued > 0) {
        published.push({ type: 'webhook_deliveries_pending' });
      }
      await link?.leave(trx, changes, [...published, ...publishedToOthers], traces);
      await repositoriesInTx.events.append(
        recorded.map((event) => ({ ...event, data: JSON.stringify(event.data) })),
      );
      if (recorded.length > 0) {
        published.push({ type: 'events_recorded' });
      }
      isFinished = true;
      return { result, changes, update, events: published };
    };
    const { result, changes, update, events } = await storage
      .transaction(attempt, options)
      .catch((error: unknown) => {
        if (isFinished && storageFailureOf(error) === 'database_unavailable') {
          // It may have been committed: the answer to the commit was lost.
          manifests.drop();
        }
        throw error;
      });
    if (update) {
      manifests.commit(update);
    }
    // What was committed is not lost by a failure: it is read with the next message.
    if (link) {
      await tracing.part('manifest.change', () => link.receive().catch(ignoreStorageFailure), traces);
    }
    if (changes.hasContent() || changes.deviceIds().length > 0) {
      events.push({
        type: 'manifests_changed',
        deviceIds: changes.hasContent() ? null : changes.deviceIds(),
        traces,
      });
    }
    deps.publish(events);
    return result;
  };

  const findRevision = async (deviceId: string): Promise<string | null> => {
    await link?.receive();
    return (await manifests.find(deviceId))?.revision ?? null;
  };

  const inGeneral = repositories(db);
  return {
    ...inGeneral,
    ...storage,
    devices: {
      ...inGeneral.devices,
      find: async (id) => (storage.deviceReads ? storage.deviceReads.find(id) : inGeneral.devices.find(id)),
    },
    async recordOrdinaryHeartbeats(arrived) {
      const results = await storage.recordOrdinaryHeartbeats(arrived);
      if (results.some((each) => each?.hasEvent)) {
        deps.publish([{ type: 'events_recorded' }]);
      }
      return results;
    },
    transaction: (run, { owner = null, ...options } = {}) =>
      // The mutex runs it when the one before has ended, in the context of that.
      tracing.part('transaction', (traces) =>
        mutex.runExclusive(owner, () => runTransaction(run, options, traces)),
      ),
    dryRun: (run, options) => mutex.runExclusive(options.owner, () => runDry(run, options)),
    manifests: {
      classify: manifests.classify,
      derive: manifests.derive,
      readDevices: manifests.readDevices,
      async find(id) {
        await link?.receive();
        return manifests.find(id);
      },
    },
    async manifestBuilder() {
      await link?.receive();
      return manifests.load();
    },
    manifestRevisionOf: (deviceId) => (link ? null : manifests.derive(deviceId)) ?? findRevision(deviceId),
    receiveMessages: async () => link?.receive(),
    async reloadManifests() {
      manifests.drop();
      await manifests.load();
      deps.publish([{ type: 'manifests_changed', deviceIds: null }]);
    },
    async ping() {
      await db.selectFrom('organization').select('id').execute();
      return true;
    },
    isNewer: () => hasNewerMigrations(db),
    close: () => db.destroy(),
  };
}
