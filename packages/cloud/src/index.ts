import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeId } from '@placard/protocol';
import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import { createDiskBlobStore } from './blob/disk.ts';
import { createBus } from './bus/bus.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './domain/clock.ts';
import { DEFAULT_MIN_FREE_BYTES } from './domain/disk-state.ts';
import { blobName } from './domain/formats.ts';
import { createEndedCodes } from './domain/ended-codes.ts';
import { refusal } from './domain/refusal.ts';
import { DEFAULT_RETENTION } from './domain/retention.ts';
import type { Retention } from './domain/retention.ts';
import { isStartFault, startFault } from './domain/start-fault.ts';
import { storageTroubleOf } from './domain/storage-trouble.ts';
import { firstStart } from './first-start.ts';
import { notifyFinished } from './gateway/commands.ts';
import { pairingRoutes } from './gateway/pairing.ts';
import type { PairingLimits } from './gateway/pairing.ts';
import { playRoutes } from './gateway/plays.ts';
import type { PlayQuota } from './gateway/plays.ts';
import { createPresenceSweep } from './gateway/presence.ts';
import { createSocketHub, SOCKET_PATH } from './gateway/socket-hub.ts';
import { wireRoutes } from './gateway/wire.ts';
import { createAddresses } from './http/addresses.ts';
import { createAuthenticator } from './http/authenticate.ts';
import { closeWith } from './http/close-after.ts';
import { createConnections, DEFAULT_CONNECTION_LIMITS } from './http/connections.ts';
import type { ConnectionLimits } from './http/connections.ts';
import { addCdn } from './http/cdn/cdn.ts';
import { addDocs } from './http/pages/docs.ts';
import { addPairPage } from './http/pages/pair.ts';
import { addProbes } from './http/pages/probes.ts';
import type { HttpDeps } from './http/deps.ts';
import { createLastUsed } from './http/last-used.ts';
import { listen, reachableUrl } from './http/listen.ts';
import { openApiOf } from './http/openapi.ts';
import { resourceRoutes } from './http/routes.ts';
import { sha256Hex } from './http/secrets.ts';
import { createHttpServer } from './http/server.ts';
import { collectNow } from './jobs/collect-blobs.ts';
import { startJobs } from './jobs/every.ts';
import { createJobs } from './jobs/jobs.ts';
import { createProcessLog } from './process-log.ts';
import { openDatabase } from './store/database.ts';
import { createDiskWatch } from './store/disk-watch.ts';
import type { DiskWatch } from './store/disk-watch.ts';
import { lockFolder } from './store/folder-lock.ts';
import { createKeptLimits } from './store/kept-limits.ts';
import type { FolderLock } from './store/folder-lock.ts';
import { createStore } from './store/store.ts';
import { createInspector } from './media/inspector.ts';
import { createDispatcher } from './webhooks/dispatcher.ts';
import { createOutbound } from './webhooks/outbound.ts';
import { createWrongSecrets } from './domain/wrong-secrets.ts';
import { createZoneTables } from './domain/zone-table.ts';
import { codeOf } from './domain/error-facts.ts';

export type { Clock } from './domain/clock.ts';
export { isStartFault } from './domain/start-fault.ts';

export interface CloudOptions {
  /** 0 lets the operating system choose. */
  port: number;
  host: string;
  /** Holds `cloud.sqlite` and `blobs/`. */
  dataDir: string;
  /** How the outside reaches this cloud; by default the address that it listens on. */
  publicUrl?: string;
  /** The secret of the first Admin key; made up when there is no key yet and none is given. */
  adminKey?: string;
  /** pino level of the log on stderr; `warn` by default. */
  logLevel?: string;
  /** Addresses (`10.1.2.3`, `10.0.0.0/8`) that imports and webhooks may reach besides public ones. */
  allowAddresses?: readonly string[];
  /** Origins of web pages that may call the API from a browser; `*` for all. None by default. */
  corsOrigins?: readonly string[];
  /** Reverse proxies whose `X-Forwarded-For` is believed. None by default. */
  trustProxies?: readonly string[];
  /** Uploads are refused when less than this is free on the disk; 1 GB by default. */
  minFreeBytes?: number;
  /** Bytes set aside so that deleting works on a full disk; by default 1/64 of the disk, 4 to 64 MiB. */
  reserveBytes?: number;
  /** False: the optional decoder of videos is not used. */
  videoDecoder?: boolean;
  /** How long readings and plays are kept; what is left out has its default. */
  retention?: Partial<Retention>;
  /** How many screens may ask to be paired; what is left out has its default. */
  pairingLimits?: Partial<PairingLimits>;
  /** How many plays a device may report; what is left out has its default. */
  playQuota?: Partial<PlayQuota>;
  /** Bounds of connections; what is left out has its default. */
  connectionLimits?: Partial<ConnectionLimits>;
  /** Time; this machine's by default. */
  clock?: Clock;
}

export interface Cloud {
  /** Where it listens, without a slash at the end. */
  url: string;
  publicUrl: string;
  /** The Admin key made at this start, or the one that was given; null when keys existed before. */
  adminKey: string | null;
  /** What is wrong with the room on the disk, and what to do about it; null when there is enough. */
  diskTrouble: string | null;
  close: () => Promise<void>;
}

const VERSION = '0.1.0';

/** Starts the cloud. What the operator has to put right is thrown as a `StartFault`. */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const clock = options.clock ?? systemClock;
  const log = createProcessLog(options.logLevel ?? 'warn');
  requireWritable(options.dataDir);
  const disk = createDiskWatch({
    dataDir: options.dataDir,
    floor: options.minFreeBytes ?? DEFAULT_MIN_FREE_BYTES,
    reserveBytes: options.reserveBytes,
    log,
  });
  const lock = lockFolder(options.dataDir);
  const stops: (() => Promise<void>)[] = [async () => lock.release()];
  const stopAll = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  try {
    const db = await openDatabase(options.dataDir, disk.releaseForOpening);
    stops.push(async () => {
      // A transaction that has paused is let finish: closing waits for nothing.
      await db.connection().execute(async () => {});
      await db.destroy();
    });
    disk.look();
    return await assemble({ options, clock, log, lock, disk, db, stops, stopAll });
  } catch (error) {
    await stopAll();
    if (storageTroubleOf(error) === 'full' && !isStartFault(error))
      throw tooFullToStart(options.dataDir, error);
    throw error;
  }
}

interface Parts {
  options: CloudOptions;
  clock: Clock;
  log: Logger;
  lock: FolderLock;
  disk: DiskWatch;
  db: Awaited<ReturnType<typeof openDatabase>>;
  stops: (() => Promise<void>)[];
  stopAll: () => Promise<void>;
}

async function assemble({ options, clock, log, lock, disk, db, stops, stopAll }: Parts): Promise<Cloud> {
  const blobsDir = join(options.dataDir, 'blobs');
  const blobs = await createDiskBlobStore(blobsDir, clock, disk);
  const bus = createBus();
  const newId = (kind: IdKind) => makeId(kind, clock.nowMs(), randomBytes(16));
  // Known once it listens, when the port was left to the operating system.
  let publicUrl = options.publicUrl?.replace(/\/+$/, '') ?? '';
  const links = { blob: (name: string) => `${publicUrl}/cdn/${name}` };
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  const zones = createZoneTables(process.versions.tz ?? 'unknown');
  const store = createStore({
    db,
    clock,
    newId,
    hash: (text) => sha256Hex(text).slice(0, 32),
    assetUrl: (sha256, format) => links.blob(blobName(sha256, format)),
    mediaHosts: () => [new URL(links.blob('')).host],
    zones,
    publish: bus.publish,
    disk,
  });
  const adminKey = await firstStart(store, options.adminKey, newId, clock.nowMs());

  const outbound = createOutbound(options.allowAddresses);
  stops.push(outbound.close);
  const limits = createKeptLimits({ file: join(options.dataDir, 'cloud.limits.json'), clock, log });
  stops.push(limits.write);
  // Those of devices are many, and protect from mistakes alone.
  const limiter = limits.limiter('requests', 60_000, (caller) => !caller.startsWith('device '));
  const endedCodes = createEndedCodes();
  const addresses = createAddresses(options.trustProxies ?? []);
  // What a real process may cost is bounded by real time, whatever clock the rest has.
  const media = createInspector({
    clock: systemClock,
    log,
    readable: blobsDir,
    decoder: options.videoDecoder ?? true,
  });
  const wrongSecrets = createWrongSecrets();
  const connectionLimits = { ...DEFAULT_CONNECTION_LIMITS, ...options.connectionLimits };
  const connections = createConnections({ clock, addresses, limits: connectionLimits, log });
  const lastUsed = createLastUsed({ store });
  stops.push(lastUsed.write);
  const freeBlobs = async (sha256s: readonly string[]) => {
    if (disk.report().state === 'ok') return;
    await collectNow({ store, blobs, clock }, sha256s);
    disk.look();
  };
  const deps: HttpDeps = {
    store,
    blobs,
    clock,
    retention,
    limiter,
    newLimiter: (name, windowMs) => limits.limiter(name, windowMs),
    endedCodes,
    links,
    media,
    outbound,
    log,
    newId,
    lastUsed,
    disk,
    freeBlobs,
  };
  const authenticator = createAuthenticator({ ...deps, addresses, wrongSecrets });
  const routes = [
    ...resourceRoutes(deps),
    ...pairingRoutes({
      ...deps,
      addresses,
      wrongSecrets,
      verificationUrl: () => `${publicUrl}/pair`,
      limits: options.pairingLimits,
    }),
    ...wireRoutes(deps),
    ...playRoutes({ store, log, quota: options.playQuota, keptDays: retention.playDays }),
  ];
  const operations = routes.map(({ operation }) => operation);
  const app = createHttpServer({
    ...deps,
    authenticator,
    connections,
    headMs: connectionLimits.headMs,
    routes,
    corsOrigins: options.corsOrigins ?? [],
    trustProxies: options.trustProxies ?? [],
    secure: () => publicUrl.startsWith('https:'),
    extend(instance) {
      addCdn(instance, deps);
      addProbes(instance, { store, disk, zones });
      addDocs(instance, {
        url: () => publicUrl,
        openApi: (url) => openApiOf(operations, { version: VERSION, url }),
      });
      addPairPage(instance);
    },
  });
  const hub = createSocketHub({ store, clock, authenticator, connections, log });
  bus.subscribe(hub.deliver);
  const dispatcher = createDispatcher({ store, clock, outbound, log });
  stops.push(dispatcher.close);
  bus.subscribe((event) => {
    if (event.type === 'deliveries') dispatcher.wake();
  });
  app.server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (request.url?.split('?')[0] === SOCKET_PATH) void hub.upgrade(request, socket, head);
    else closeWith(socket, refusal('ROUTE_NOT_FOUND', 'There is no socket at this address.'), clock);
  });

  let deafUntilMs = 0;
  const sweepPresence = createPresenceSweep({
    store,
    clock,
    droppedAtMs: hub.droppedAtMs,
    deafUntilMs: () => (disk.report().state === 'full' ? clock.nowMs() : deafUntilMs),
  });
  // Who fell silent while nobody was here is not shown as online to the first who asks.
  await unlessFull(sweepPresence);
  const url = await listen(app, options);
  stops.push(() => app.close(), hub.close);
  publicUrl ||= reachableUrl(url, options.host);
  // Manifests carry addresses and are derived: a new address or a new program means new revisions.
  const newRevisions = () => store.transaction(async (work) => work.affects('all'));
  await unlessFull(newRevisions);
  stops.push(
    startJobs(
      createJobs({
        store,
        blobs,
        clock,
        retention,
        endedCodes,
        media,
        log,
        sweepConnections: connections.sweep,
        sweepPresence,
        notifyFinished,
        wakeDispatcher: dispatcher.wake,
        disk,
        lock,
        async roomAgain() {
          deafUntilMs = clock.nowMs();
          await newRevisions();
        },
        writeLastUsed: lastUsed.write,
        writeLimits: limits.write,
        newRevisions,
      }),
      clock,
      log,
    ),
  );
  // Stopped first: nobody waits for a file that is looked at.
  stops.push(() => media.close());
  log.info({ event: 'cloud.started', url, publicUrl, dataDir: options.dataDir });
  const { state, sentence } = disk.report();
  return { url, publicUrl, adminKey, diskTrouble: state === 'ok' ? null : sentence, close: stopAll };
}

/** What has to wait for room on the disk is made up for when there is some. */
async function unlessFull(act: () => Promise<void>): Promise<void> {
  await act().catch((error: unknown) => {
    if (storageTroubleOf(error) === null) throw error;
  });
}

const tooFullToStart = (dataDir: string, cause: unknown) =>
  startFault(
    `The disk of the data folder ${dataDir} is full, and this start has to write something that does not fit. ` +
      'Make room on it (some 20 MB will do), then start again; or choose another folder with --data.',
    cause,
  );

function requireWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    throw startFault(
      `The data folder ${dataDir} cannot be written (${codeOf(cause)}). ` +
        'Give this user write access to it, or choose another with --data.',
      cause,
    );
  }
}
