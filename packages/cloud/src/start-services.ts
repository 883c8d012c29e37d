import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { makeId } from '@placard/protocol';
import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import { createBucketCheck, openBlobStore } from './blob/open-blob-store.ts';
import { createSentFiles } from './blob/sent-files.ts';
import { createEventBus } from './bus/event-bus.ts';
import { systemClock } from './system-clock.ts';
import type { Clock } from './domain/clock.ts';
import { blobName } from './domain/media-formats.ts';
import { createEventStreams } from './events/event-streams.ts';
import { connectBus } from './connect-bus.ts';
import { createExpiredPairingCodes } from './domain/expired-pairing-codes.ts';
import { DEFAULT_RETENTION } from './domain/retention.ts';
import { ignoreStorageFailure } from './domain/storage-failure.ts';
import { startOrganization } from './start-organization.ts';
import { recordCommandEvent } from './gateway/commands.ts';
import { createHeartbeatIntake } from './gateway/heartbeat-intake.ts';
import { pairingRoutes } from './gateway/pairing.ts';
import { playRoutes } from './gateway/plays.ts';
import { createPresenceSweep } from './gateway/presence.ts';
import { acceptSockets } from './gateway/accept-sockets.ts';
import { createSocketHub } from './gateway/socket-hub.ts';
import { playerRoutes } from './gateway/player-routes.ts';
import { createClientAddresses } from './http-server/client-address.ts';
import { createAuthenticator } from './http-server/authenticate.ts';
import { createConnections, DEFAULT_CONNECTION_LIMITS } from './http-server/connections.ts';
import { addCdn } from './cdn/cdn.ts';
import { addPagesAndDescription } from './add-pages-and-description.ts';
import { requireStoreAccess } from './http/people/store-access.ts';
import { addHealthChecks } from './http/health-checks.ts';
import { createAuditRecorder } from './http/audit/audit-recorder.ts';
import type { HttpDeps } from './http/deps.ts';
import { invitationUrl } from './people/links.ts';
import { createOperationRunner } from './http/operations/run-operations.ts';
import { createKeyUsage } from './http-server/key-usage.ts';
import { createMessageReceiver, joinNodes } from './join-nodes.ts';
import { createAlertJobs } from './start-alerts.ts';
import { createRolloutJobs } from './start-rollouts.ts';
import { createTracingParts } from './start-tracing.ts';
import { createMetricsParts } from './start-metrics.ts';
import { createPeopleParts } from './start-people.ts';
import { listen, networkUrl } from './http-server/listen.ts';
import { createResumableUploads } from './http/uploads/resumable-uploads.ts';
import { addTus } from './http/uploads/tus.ts';
import { resourceRoutes } from './http/resource-routes.ts';
import { sha256Hex } from './http-server/secrets.ts';
import { createDryRunner } from './http/dry-run/dry-run.ts';
import { createHttpServer } from './http-server/server.ts';
import { deleteBlobsNow } from './jobs/delete-unused-blobs.ts';
import { startJobs } from './jobs/job-runner.ts';
import { createCloudJobs } from './jobs/cloud-jobs.ts';
import { createRenditionWorker } from './jobs/make-renditions.ts';
import type { DiskMonitor } from './disk/disk-monitor.ts';
import type { DataFolderLock } from './disk/data-folder-lock.ts';
import { createCloudDatabase } from './database/cloud-database.ts';
import type { Storage } from './database/storage.ts';
import { drainAll } from './drain.ts';
import { createMediaInspector } from './media/inspector.ts';
import { createRenditionMaker } from './media/rendition-maker.ts';
import { createWebhookDispatcher } from './webhooks/dispatcher.ts';
import { createSharedLiveRequests } from './share-live.ts';
import { createOutboundClient } from './outbound/outbound-client.ts';
import { createAuthThrottle } from './domain/auth-throttle.ts';
import { createZoneTableCache } from './domain/zone-table.ts';
import type { Cloud, CloudOptions } from './config/cloud-options.ts';

const VERSION = '0.1.0';

export interface StartupContext {
  options: CloudOptions;
  clock: Clock;
  log: Logger;
  lock: DataFolderLock;
  disk: DiskMonitor;
  storage: Storage;
  shutdownSteps: (() => Promise<void>)[];
  shutDown: () => Promise<void>;
}

/** Creates every part and connects them; `shutdownSteps` receives how to stop each. */
export async function startServices({
  options,
  clock,
  log,
  lock,
  disk,
  storage,
  shutdownSteps,
  shutDown,
}: StartupContext): Promise<Cloud> {
  const blobsDir = join(options.dataDir, 'blobs');
  const { s3, mediaDelivery: delivery, inspectionLimits = {}, renditionLimits = {} } = options;
  const store = await openBlobStore(blobsDir, { s3, delivery, clock, diskSpace: disk });
  const { blobs, uploadFiles, bucket, redirects } = store;
  shutdownSteps.push(async () => bucket?.close());
  const bus = createEventBus();
  let isDraining = false;
  const newId = (kind: IdKind) => makeId(kind, clock.nowMs(), randomBytes(16));
  // Without the option it is known once the server listens, because the port may be 0.
  let publicUrl = options.publicUrl?.replace(/\/+$/, '') ?? '';
  const cdnUrl = options.cdnUrl?.replace(/\/+$/, '');
  const contentUrls = { blobUrl: (name: string) => `${cdnUrl ?? `${publicUrl}/cdn`}/${name}` };
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  const zoneTables = createZoneTableCache(process.versions.tz ?? 'unknown');
  const { tracing, jobs: tracingJobs } = await createTracingParts(options.tracing, {
    version: VERSION,
    clock,
    log,
    shutdownSteps,
  });
  const database = createCloudDatabase({
    storage,
    clock,
    newId,
    hash: (text) => sha256Hex(text).slice(0, 32),
    assetUrl: (sha256, format) => contentUrls.blobUrl(blobName(sha256, format)),
    mediaHosts: () => [new URL(contentUrls.blobUrl('')).host, ...(redirects ? [redirects.host] : [])],
    zoneTables,
    publish: bus.publish,
    tracing,
    node: options.database === undefined ? null : { id: randomUUID(), log },
  });
  const first = await startOrganization({ ...store, options, database, newId, nowMs: clock.nowMs(), log });
  const sentFiles = createSentFiles({ blobs, mayDelete: () => first.mediaOwnership.mayDelete(), log });
  const outboundClient = createOutboundClient(options.allowAddresses);
  const messages = createMessageReceiver({ database, log });
  // The last ones are received after the cluster was left, and before the database is closed.
  shutdownSteps.push(sentFiles.close, outboundClient.close, messages.untilReceived);
  const {
    cluster,
    newLimiter,
    newUnsavedLimiter,
    jobs: clusterJobs,
  } = await joinNodes({ options, storage, retention, clock, log, shutdownSteps });
  const eventStreams = createEventStreams({ database, clock, log });
  cluster.onMessages(() => {
    eventStreams.wake();
    messages.receive();
  });
  const { isLeader } = cluster;
  const expiredCodes = createExpiredPairingCodes();
  const hasOtherNodes = options.database !== undefined;
  const live = createSharedLiveRequests({ bus, database, db: storage.db, clock, hasOtherNodes });
  const clientAddresses = createClientAddresses(options.trustProxies ?? []);
  // The limits of real processes need the real clock, even in tests.
  const media = { clock: systemClock, log, mediaDir: blobsDir, useDecoder: options.videoDecoder ?? true };
  const inspector = createMediaInspector({ ...media, limits: inspectionLimits });
  const maker = await createRenditionMaker({ ...media, inspector, disk, limits: renditionLimits });
  const authThrottle = createAuthThrottle(newUnsavedLimiter);
  const connectionLimits = { ...DEFAULT_CONNECTION_LIMITS, ...options.connectionLimits };
  const connections = createConnections({ clock, clientAddresses, limits: connectionLimits, log });
  const keyUsage = createKeyUsage({ database });
  const deleteBlobsIfDiskLow = async (sha256s: readonly string[]) => {
    if (disk.status().state === 'ok' || !blobs.isLocal) {
      return;
    }
    await deleteBlobsNow({ database, blobs, clock }, sha256s);
    disk.refresh();
  };
  const recordAudit = createAuditRecorder();
  const deps: HttpDeps = {
    database,
    publicUrl: () => publicUrl,
    isHttps: () => publicUrl.startsWith('https:'),
    clientAddresses,
    people: createPeopleParts({
      database,
      clock,
      newId,
      publicUrl: () => publicUrl,
      log,
      newLimiter,
      company: options.company ?? null,
      passwordCostLog2: options.passwordCostLog2,
    }),
    blobs,
    sentFiles,
    uploadFiles,
    clock,
    retention,
    limiter: newLimiter('requests', 60_000),
    newLimiter,
    expiredCodes,
    live,
    contentUrls,
    inspector,
    outboundClient,
    log,
    newId,
    keyUsage,
    eventStreams,
    disk,
    sendsMail: options.mailServer !== undefined,
    deleteBlobsIfDiskLow,
  };
  const uploads = createResumableUploads({ ...deps, recordAudit });
  shutdownSteps.push(keyUsage.flush, uploads.close);
  const authenticator = createAuthenticator({ ...deps, authThrottle });
  const heartbeats = createHeartbeatIntake({ database, log, newId, tracing });
  const metrics = await createMetricsParts(options.metrics, {
    version: VERSION,
    sockets: () => hub.count(),
    eventStreams: eventStreams.count,
    disk: () => disk.status(),
    bucketFailure: bucket && (() => bucket.failure()),
    isLeader,
    storage,
    clock,
    log,
    shutdownSteps,
  });
  const { measurements } = metrics;
  const routes = [
    ...resourceRoutes(deps),
    ...uploads.routes,
    ...pairingRoutes({
      ...deps,
      clientAddresses,
      authThrottle,
      verificationUrl: () => `${publicUrl}/pair`,
      limits: options.pairingLimits,
    }),
    ...playerRoutes({ database, sentFiles, live, heartbeats, measurements }),
    ...playRoutes({ database, log, quota: options.playQuota, retentionDays: retention.playDays }),
  ];
  const app = createHttpServer({
    ...deps,
    authenticator,
    connections,
    headersTimeoutMs: connectionLimits.headersTimeoutMs,
    recordAudit,
    requireStoreAccess,
    measurements,
    runDry: createDryRunner(database),
    tracing,
    routes,
    corsOrigins: options.corsOrigins ?? [],
    trustProxies: options.trustProxies ?? [],
    isDraining: () => isDraining,
    addOtherRoutes(instance) {
      addCdn(instance, { blobs, redirects });
      addHealthChecks(instance, { database, disk, bucket, zones: zoneTables, isDraining: () => isDraining });
      addPagesAndDescription(instance, deps, {
        operations: routes.map(({ operation }) => operation),
        version: VERSION,
        mediaOrigin: () => new URL(cdnUrl ?? publicUrl).origin,
      });
      metrics.addRoute(instance);
      addTus(instance);
    },
  });
  const hub = createSocketHub({
    database,
    heartbeats,
    clock,
    authenticator,
    connections,
    log,
    publicUrl: () => publicUrl,
    hasOtherNodes,
    isAlone: cluster.isAlone,
    measurements,
    tracing,
    live,
  });
  const dispatcher = createWebhookDispatcher({ ...deps, outboundClient, isLeader, measurements });
  const operationRunner = createOperationRunner({ ...deps, recordAudit, isLeader });
  const renditionWorker = createRenditionWorker({ ...deps, maker, isLeader });
  shutdownSteps.push(dispatcher.close, operationRunner.close);
  connectBus(bus, { dispatcher, operationRunner, eventStreams, live, expiredCodes, clock });
  // After `live`, which must know of a request when the socket answers it.
  bus.subscribe(hub.handleEvent);
  acceptSockets(app.server, hub, { clock, publicUrl: () => publicUrl });

  let recoveredMs = 0;
  const writesBlockedUntilMs = () => (disk.status().state === 'full' ? clock.nowMs() : recoveredMs);
  const sweepPresence = createPresenceSweep({
    database,
    clock,
    log,
    disconnected: hub.disconnected,
    forgetDisconnected: hub.forgetDisconnected,
    isLeader,
    writesBlockedUntilMs,
  });
  // Devices that disappeared while the cloud was stopped must not be shown as online to the first client.
  // After a storage failure it is repeated once the disk accepts writes again.
  await sweepPresence().catch(ignoreStorageFailure);
  const url = await listen(app, options);
  shutdownSteps.push(() => app.close(), hub.close);
  publicUrl ||= networkUrl(url, options.host);
  const metricsUrl = await metrics.open();
  // Manifests contain URLs, and the first device should not have to wait.
  await database.reloadManifests().catch(ignoreStorageFailure);
  shutdownSteps.push(
    startJobs(
      createCloudJobs({
        ...deps,
        sweepConnections: connections.sweep,
        sweepPresence,
        recordCommandEvent,
        eventStreams,
        wakeDispatcher: dispatcher.wake,
        wakeOperations: operationRunner.wake,
        lock,
        onDiskRecovered() {
          recoveredMs = clock.nowMs();
        },
        finishUploads: uploads.finishWaiting,
        mediaOwnership: first.mediaOwnership,
        flushKeyUsage: keyUsage.flush,
        reloadManifests: () => database.reloadManifests(),
        moreJobs: [
          ...renditionWorker.jobs,
          ...(await createAlertJobs({ ...deps, isLeader, writesBlockedUntilMs, options, shutdownSteps })),
          ...createRolloutJobs({ ...deps, recordAudit, isLeader }),
          ...clusterJobs,
          ...metrics.jobs,
          ...tracingJobs,
          ...(bucket ? [createBucketCheck(bucket, log)] : []),
        ],
      }),
      { clock, log, isLeader },
    ),
  );
  // Closed first, so that shutdown does not wait for inspections.
  shutdownSteps.push(() => inspector.close(), renditionWorker.close);
  log.info({ url, public_url: publicUrl, data_dir: options.dataDir }, 'cloud.started');
  const { state, message } = disk.status();
  return {
    url,
    publicUrl,
    metricsUrl,
    adminKey: first.adminKey,
    firstAdminUrl: first.invitationToken === null ? null : invitationUrl(publicUrl, first.invitationToken),
    diskWarning: state === 'ok' ? null : message,
    async drain(ms, signal) {
      isDraining = true;
      log.info({ ms }, 'cloud.draining');
      await drainAll([hub, eventStreams], ms, signal);
    },
    close: shutDown,
  };
}
