import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { Fault, FAULTS } from '@placard/protocol';
import { pino } from 'pino';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createCloudLink } from '../adapters/cloud-link/cloud-link.ts';
import { trustAlso } from '../adapters/cloud-link/extra-certificates.ts';
import { createDispatcher } from '../adapters/cloud-link/dispatcher.ts';
import { proxySettings } from '../adapters/cloud-link/proxy.ts';
import { takeDataFolder } from '../adapters/data-folder/data-folder.ts';
import { createStatusFile } from '../adapters/data-folder/status-file.ts';
import { createMachine } from '../adapters/machine/machine.ts';
import { openLogFile } from '../adapters/log-file/log-file.ts';
import { openMediaCache } from '../adapters/media-cache/media-cache.ts';
import { createMediaGate } from '../adapters/media-cache/media-gate.ts';
import { pinCheck } from '../adapters/pin/pin.ts';
import { createSystemd } from '../adapters/service-manager/systemd.ts';
import { createSqliteStore } from '../adapters/sqlite-store/sqlite-store.ts';
import { createSupportBundle } from '../adapters/support-bundle/support-bundle.ts';
import { createTelemetry } from '../adapters/telemetry/telemetry.ts';
import { createUpdateService } from '../adapters/updater/update-service.ts';
import { vitalsOf } from '../adapters/updater/vitals.ts';
import { createStageServer, type StageServer } from '../stage-link/server.ts';
import { createRecentLog } from './recent-log.ts';
import { openShellChannel } from './shell-channel.ts';
import { createRuntime } from './runtime.ts';
import type { FromShell } from './shell-link.ts';

/** Room that is left to the system and the database, whatever the cache would like. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** Of the log, for a technician who asks for it. */
const RECENT_LOG_CHARS = 1024 * 1024;
const STOP_MS = 4_500;
/** A correction of the clock that the schedule should look at. */
const NOTED_STEP_MS = 100;
const LISTEN_TRIES = 10;
/** The shell replaces a runtime that it has not heard for long. */
const ALIVE_EVERY_MS = 5_000;

type Start = Extract<FromShell, { type: 'start' }>;

const recent = createRecentLog(RECENT_LOG_CHARS);
/** Set by a shell that has no output of its own. */
const logFile = process.env.PLACARD_LOG_FILE ? openLogFile(process.env.PLACARD_LOG_FILE) : null;
const log = pino(
  {
    name: 'runtime',
    base: { pid: process.pid },
    level: process.env.PLACARD_LOG_LEVEL ?? 'info',
  },
  {
    /** A line that cannot be written (the disk is full, nobody reads) is lost: no log is worth the picture. */
    write(line) {
      recent.keep(line);
      if (logFile) {
        logFile(line);
        return;
      }
      try {
        writeSync(1, line);
      } catch {
        // Said above.
      }
    },
  },
);
const ending = new AbortController();
const shell = openShellChannel({ log, onMessage, onClosed: end });
let pageWanted: () => void = () => {};
let safeMode: (on: boolean) => void = () => {};
let started = false;

function onMessage(message: FromShell): void {
  if (message.type === 'stop') end();
  else if (message.type === 'page_wanted') pageWanted();
  else if (message.type === 'safe_mode') safeMode(message.on);
  else if (!started) {
    started = true;
    run(message).then(() => process.exit(0), giveUp);
  }
}

/** Ends in order, or at least in time. */
function end(): void {
  if (!started) process.exit(0);
  ending.abort();
  setTimeout(() => process.exit(0), STOP_MS).unref();
}

/** A fault that a restart cannot mend is told to the operator; all else is left to the shell's restart. */
function giveUp(error: unknown): void {
  log.fatal({ error: error instanceof Error ? error.stack : String(error) }, 'runtime.failed');
  if (error instanceof Fault && error.retry === 'never') {
    const place = typeof error.facts.dir === 'string' ? ` (${error.facts.dir})` : '';
    shell.send({ type: 'fatal', message: FAULTS[error.code].help + place, exitCode: 1 });
  }
  // The message has to leave before the process does.
  setTimeout(() => process.exit(1), 100);
}

/** The next process sets the damaged database aside and rebuilds it; the page goes on meanwhile. */
const startAnew = () => giveUp(new Fault('store.corrupt', 'later'));

// Database, media and token are nobody else's business.
process.umask(0o077);
process.on('uncaughtException', giveUp);
process.on('unhandledRejection', giveUp);
// The shell decides when the runtime ends: a Ctrl-C in a terminal reaches both.
process.on('SIGINT', () => {});
process.on('SIGTERM', end);

async function run({ config, port, session, safeMode: startsInSafeMode }: Start): Promise<void> {
  const server = config.server.replace(/\/+$/, '');
  const playerVersion = readVersion();
  log.info({ server, data: config.dataDir, shell: config.shell, version: playerVersion }, 'runtime.starting');
  const folder = takeDataFolder(config.dataDir);
  if (folder.substitute) log.error({ working_in: folder.substitute }, 'disk.readonly');
  const files = { file: folder.database, identityFile: folder.identity };
  const store = createSqliteStore({ ...files, server, nowMs: Date.now(), onDamage: startAnew, log });
  const clock = createSystemClock({ lastGoodMs: store.readLastGoodTime() });
  if (process.env.PLACARD_CA_FILE) trustAlso(process.env.PLACARD_CA_FILE);
  const proxies = proxySettings(process.env);
  const random = { next: Math.random, bytes: (count: number) => randomBytes(count) };
  const dispatcher = createDispatcher(proxies);
  const gate = createMediaGate({ server });
  const mediaDispatcher = createDispatcher(proxies, gate.lookup);
  const media = await openMediaCache({
    dir: folder.media,
    index: store,
    dispatcher: mediaDispatcher,
    gate,
    maxCacheBytes: config.maxCacheBytes ?? null,
    minFreeBytes: config.minFreeBytes ?? MIN_FREE_BYTES,
    maxBytesPerSecond: config.maxDownloadBytesPerSecond ?? null,
    log,
  });
  let pageDraws = false;
  const serviceManager = createSystemd({
    env: process.env,
    clock,
    log: log.child({ service: 'service-manager' }),
  });
  const updates = createUpdateService({
    env: process.env,
    platform: process.platform,
    arch: process.arch,
    shell: config.shell,
    version: playerVersion,
    deviceId: () => store.readIdentity()?.deviceId ?? null,
    timezone: () => store.readManifests().held?.organization.timezone ?? 'UTC',
    vitals: () => vitalsOf(runtime.status(), pageDraws),
    dispatcher,
    clock,
    random,
    log: log.child({ service: 'updates' }),
  });
  const stage: StageServer = createStageServer({
    rendererDir: config.rendererDir,
    session,
    log: log.child({ service: 'stage' }),
    findMedia: (sha256) => media.find(sha256),
    onMessage(message) {
      if (message.type === 'beat') {
        pageDraws = true;
        serviceManager.pageDraws();
      }
      runtime.fromStage(message);
    },
    onConnection: (connected) => runtime.stageConnected(connected),
    onLockedOut: () => shell.send({ type: 'stage_lost' }),
  });
  const runtime = createRuntime({
    config: {
      server,
      shell: config.shell,
      playerVersion,
      tzVersion: process.versions.tz,
      launchId: createHash('sha256').update(session).digest('hex').slice(0, 16),
      ...(config.orientation ? { orientation: config.orientation } : {}),
      maxCacheBytes: config.maxCacheBytes ?? null,
      menuPinHash: config.menuPinHash ?? null,
    },
    clock,
    random,
    store,
    media,
    cloud: createCloudLink({
      server,
      playerVersion,
      dispatcher,
      proxies,
      clock,
      random,
      onServerTime(serverMs, roundTripMs) {
        const before = clock.wall();
        clock.learn(serverMs, roundTripMs);
        const stepMs = clock.wall() - before;
        if (Math.abs(stepMs) < NOTED_STEP_MS) return;
        log.warn({ step_ms: stepMs }, 'clock.corrected');
        runtime.clockStepped();
      },
      log: log.child({ service: 'cloud-link' }),
    }),
    telemetry: createTelemetry({ dataDir: config.dataDir, log: log.child({ service: 'telemetry' }) }),
    machine: createMachine({
      dataDir: config.dataDir,
      dryRun: process.env.PLACARD_DRY_RUN === '1',
      log: log.child({ service: 'machine' }),
    }),
    updater: updates,
    pinCheck,
    support: createSupportBundle({
      dataDir: config.dataDir,
      hostname: hostname(),
      recentLog: recent.text,
      log: log.child({ service: 'support' }),
    }),
    statusFile: createStatusFile({ file: folder.status }),
    stage,
    shell,
    services: [updates],
    storeSetAside: store.setAside,
    substitute: folder.substitute,
    log,
  });
  safeMode = runtime.safeMode;
  if (startsInSafeMode) runtime.safeMode(true);
  pageWanted = () => {
    runtime.pageIssued();
    shell.send({ type: 'page', url: stage.issuePageUrl() });
  };
  shell.send({ type: 'ready', port: await listen(stage, port) });
  setInterval(() => shell.send({ type: 'alive' }), ALIVE_EVERY_MS).unref();
  await runtime.run(ending.signal);
  await stage.close();
  await Promise.all([dispatcher.destroy(), mediaDispatcher.destroy()]);
  store.close();
  folder.release();
  log.info({}, 'runtime.stopped');
}

/** The port of the run before, so that an open page goes on; another one when somebody else has taken it. */
async function listen(stage: StageServer, port: number): Promise<number> {
  for (let attempt = 0; attempt < LISTEN_TRIES; attempt++) {
    try {
      return await stage.listen(port);
    } catch (error) {
      if (port === 0 || !(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return stage.listen(0);
}

function readVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version =
    typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : null;
  return typeof version === 'string' ? version : '0.0.0';
}
