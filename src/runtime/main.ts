import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Fault, FAULTS } from '@placard/protocol';
import { pino } from 'pino';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createCloudLink } from '../adapters/cloud-link/cloud-link.ts';
import { addTrustedCertificates } from '../adapters/cloud-link/extra-certificates.ts';
import { createDispatcher } from '../adapters/cloud-link/dispatcher.ts';
import { proxySettings } from '../adapters/cloud-link/proxy.ts';
import { acquireDataFolder } from '../adapters/data-folder/data-folder.ts';
import { createStatusFile } from '../adapters/data-folder/status-file.ts';
import { createMachine } from '../adapters/machine/machine.ts';
import { openLogFile, readLogEnd } from '../adapters/log-file/log-file.ts';
import { openMediaCache } from '../adapters/media-cache/media-cache.ts';
import { createSsrfGuard } from '../adapters/media-cache/ssrf-guard.ts';
import { pinVerifier } from '../adapters/pin/pin.ts';
import { createSystemd } from '../adapters/service-manager/systemd.ts';
import { openPlayerDatabase } from '../adapters/sqlite/player-database.ts';
import { createSupportBundle } from '../adapters/support-bundle/support-bundle.ts';
import { createTelemetry } from '../adapters/telemetry/telemetry.ts';
import { createPackageUpdater } from '../adapters/updater/package-updater.ts';
import { RELEASE_KEY_PEM } from '../adapters/updater/release-key.ts';
import { readUpdateSettings } from '../adapters/updater/update-settings.ts';
import { errorCode } from '../core/error-details.ts';
import { createStageServer } from '../stage-link/server.ts';
import type { StageServer } from '../stage-link/server.ts';
import { createRecentLog } from './recent-log.ts';
import { createRedactor } from './redactor.ts';
import { openShellChannel } from './shell-channel.ts';
import { createRuntime } from './runtime.ts';
import type { Runtime } from './runtime.ts';
import type { ParsedToRuntimeMessage } from './shell-messages.ts';

/** Disk space that the media cache always leaves free for the system and the database. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** Size of the log tail that is kept in memory for support bundles. */
const RECENT_LOG_CHARS = 1024 * 1024;
/** What support bundles have of the log of earlier runs; kept in memory, because the file is rotated meanwhile. */
const EARLIER_LOG_BYTES = 512 * 1024;
const SHELL_LOG_BYTES = 2 * 1024 * 1024;
const STOP_MS = 4_500;
/** Smaller clock corrections do not trigger a new evaluation of the schedule. */
const MIN_CLOCK_STEP_MS = 100;
const LISTEN_TRIES = 10;
/** The shell restarts a runtime that has not sent `alive` for too long. */
const ALIVE_EVERY_MS = 5_000;

type Start = Extract<ParsedToRuntimeMessage, { type: 'start' }>;

const proxies = proxySettings(process.env);
const redactor = createRedactor();
redactor.hideLogin('the HTTP proxy', proxies.httpProxy);
redactor.hideLogin('the HTTPS proxy', proxies.httpsProxy);
redactor.hideLogin('the update feed', process.env.PLACARD_UPDATE_FEED);
const recent = createRecentLog(RECENT_LOG_CHARS, randomUUID());
/** Set by the shells. */
const logPath = process.env.PLACARD_LOG_FILE;
const appendToFile = logPath ? openLogFile(logPath) : () => {};
/** How earlier runs ended, such as `runtime.failed`. Taken before this run logs anything. */
const earlierLog = logPath ? readLogEnd(logPath, EARLIER_LOG_BYTES) : Promise.resolve('');
const hasOutput = process.env.PLACARD_LOG_OUTPUT !== 'none';
const log = pino(
  {
    name: 'runtime',
    base: { pid: process.pid },
    level: process.env.PLACARD_LOG_LEVEL ?? 'info',
  },
  {
    /** A log line that cannot be written (disk full, closed pipe) is dropped: logging must never affect playback. */
    write(text) {
      const line = redactor.redact(text);
      recent.append(line);
      appendToFile(line);
      if (!hasOutput) {
        return;
      }
      try {
        writeSync(1, line);
      } catch {
        // The line is dropped, see above.
      }
    },
  },
);
const shutdownAbort = new AbortController();
const shell = openShellChannel({ log, onMessage, onClosed: shutDown });
let sendPageUrl: () => void = () => {};
let setSafeMode: (on: boolean) => void = () => {};
let onScreenshot: Runtime['onScreenshot'] = () => {};
let started = false;

function onMessage(message: ParsedToRuntimeMessage): void {
  if (message.type === 'stop') {
    shutDown();
  } else if (message.type === 'page_wanted') {
    sendPageUrl();
  } else if (message.type === 'safe_mode') {
    setSafeMode(message.on);
  } else if (message.type === 'screenshot') {
    onScreenshot(message);
  } else if (!started) {
    started = true;
    run(message).then(() => process.exit(0), exitWithError);
  }
}

/** Shuts down in order; exits anyway after `STOP_MS`. */
function shutDown(): void {
  if (!started) {
    process.exit(0);
  }
  shutdownAbort.abort();
  setTimeout(() => process.exit(0), STOP_MS).unref();
}

/** Reports a fault that a restart cannot fix to the operator; for all others, relies on the shell's restart. */
function exitWithError(error: unknown): void {
  log.fatal({ error: error instanceof Error ? error.stack : String(error) }, 'runtime.failed');
  if (error instanceof Fault && error.retry === 'never') {
    const place = typeof error.details.dir === 'string' ? ` (${error.details.dir})` : '';
    shell.send({ type: 'fatal', message: FAULTS[error.code] + place, exitCode: 1 });
  }
  // Gives the message time to be sent before the process exits.
  setTimeout(() => process.exit(1), 100);
}

/** Exits, so that the next process sets the damaged database aside and rebuilds it; the page keeps playing. */
const restartToRebuildDatabase = () => exitWithError(new Fault('store.corrupt', 'later'));

// Database, media and device token must not be readable by other users.
process.umask(0o077);
process.on('uncaughtException', exitWithError);
process.on('unhandledRejection', exitWithError);
// The shell decides when the runtime ends: Ctrl-C in a terminal sends SIGINT to both processes.
process.on('SIGINT', () => {});
process.on('SIGTERM', shutDown);

async function run({ config, port, session, safeMode: startsInSafeMode }: Start): Promise<void> {
  redactor.hide('session', session);
  const server = config.server.replace(/\/+$/, '');
  const playerVersion = readVersion();
  log.info({ server, data: config.dataDir, shell: config.shell, version: playerVersion }, 'runtime.started');
  const folder = acquireDataFolder(config.dataDir);
  if (folder.substituteDir) {
    log.error({ working_in: folder.substituteDir }, 'data_folder.substituted');
  }
  const database = openPlayerDatabase({
    file: folder.databaseFile,
    identityFile: folder.identityFile,
    server,
    nowMs: Date.now(),
    onCorruption: restartToRebuildDatabase,
    log,
  });
  const clock = createSystemClock({ lastGoodMs: database.readLastGoodTime() });
  if (process.env.PLACARD_CA_FILE) {
    addTrustedCertificates(process.env.PLACARD_CA_FILE);
  }
  const random = { next: Math.random, bytes: (count: number) => randomBytes(count) };
  const dispatcher = createDispatcher(proxies);
  const ssrfGuard = createSsrfGuard({ server });
  const mediaDispatcher = createDispatcher(proxies, ssrfGuard.lookup);
  const media = await openMediaCache({
    dir: folder.mediaDir,
    index: database,
    dispatcher: mediaDispatcher,
    ssrfGuard,
    maxCacheBytes: config.maxCacheBytes ?? null,
    minFreeBytes: config.minFreeBytes ?? MIN_FREE_BYTES,
    maxBytesPerSecond: config.maxDownloadBytesPerSecond ?? null,
    log,
  });
  const serviceManager = createSystemd({
    env: process.env,
    clock,
    log: log.child({ service: 'service-manager' }),
  });
  const updateLog = log.child({ service: 'updates' });
  const updates = readUpdateSettings({
    env: process.env,
    platform: process.platform,
    arch: process.arch,
    shell: config.shell,
    log: updateLog,
  });
  const stage: StageServer = createStageServer({
    rendererDir: config.rendererDir,
    session,
    log: log.child({ service: 'stage' }),
    findMedia: (sha256) => media.find(sha256),
    onMessage(message) {
      if (message.type === 'beat') {
        serviceManager.onPageBeat();
      }
      runtime.onStageMessage(message);
    },
    onConnection: (connected) => runtime.onStageConnection(connected),
    onCookieLost: () => shell.send({ type: 'stage_lost' }),
  });
  const runtime = createRuntime({
    config: {
      ...config,
      server,
      playerVersion,
      tzVersion: process.versions.tz,
      launchId: createHash('sha256').update(session).digest('hex').slice(0, 16),
      updateWindow: updates.feedUrl === null ? null : updates.window,
    },
    clock,
    random,
    database,
    media,
    cloud: createCloudLink({
      server,
      playerVersion,
      dispatcher,
      proxies,
      clock,
      random,
      onServerTime(serverMs, roundTripMs) {
        const before = clock.wallMs();
        clock.onServerTime(serverMs, roundTripMs);
        const stepMs = clock.wallMs() - before;
        if (Math.abs(stepMs) < MIN_CLOCK_STEP_MS) {
          return;
        }
        log.warn({ step_ms: stepMs }, 'clock.corrected');
        runtime.onClockCorrected();
      },
      onSecret: redactor.hide,
      log: log.child({ service: 'cloud-link' }),
    }),
    telemetry: createTelemetry({ dataDir: config.dataDir, log: log.child({ service: 'telemetry' }) }),
    machine: createMachine({
      dataDir: config.dataDir,
      dryRun: process.env.PLACARD_DRY_RUN === '1',
      log: log.child({ service: 'machine' }),
    }),
    updater: createPackageUpdater({
      feedUrl: updates.feedUrl,
      releaseKeyPem: RELEASE_KEY_PEM,
      folder: updates.folder,
      installed: () => ({
        ...updates.installedPackage,
        version: playerVersion,
        // An unpaired device has no id; all of them have the same position in a staged rollout.
        deviceId: database.readIdentity()?.deviceId ?? 'unpaired',
      }),
      dispatcher,
      clock,
      log: updateLog,
    }),
    pinVerifier,
    supportBundle: createSupportBundle({
      dataDir: config.dataDir,
      hostname: hostname(),
      recentLog: recent,
      redact: redactor.redact,
      otherLogs: {
        'runtime-earlier.log': () => earlierLog,
        'shell.log': () => readLogEnd(join(config.dataDir, 'logs', 'shell.log'), SHELL_LOG_BYTES),
      },
      log: log.child({ service: 'support' }),
    }),
    statusFile: createStatusFile({ file: folder.statusFile }),
    stage,
    shell,
    damagedDatabasePath: database.damagedCopyPath,
    substituteDir: folder.substituteDir,
    log,
  });
  setSafeMode = runtime.setSafeMode;
  onScreenshot = runtime.onScreenshot;
  if (startsInSafeMode) {
    runtime.setSafeMode(true);
  }
  sendPageUrl = () => {
    runtime.onPageOpening();
    shell.send({ type: 'page', url: stage.issuePageUrl() });
  };
  shell.send({ type: 'ready', port: await listen(stage, port) });
  setInterval(() => shell.send({ type: 'alive' }), ALIVE_EVERY_MS).unref();
  await runtime.run(shutdownAbort.signal);
  await stage.close();
  await Promise.all([dispatcher.destroy(), mediaDispatcher.destroy()]);
  database.close();
  folder.release();
  log.info({}, 'runtime.stopped');
}

/** Listens on the port of the previous run, so that an open page reconnects; on another one if that port is taken. */
async function listen(stage: StageServer, port: number): Promise<number> {
  for (let attempt = 0; attempt < LISTEN_TRIES; attempt++) {
    try {
      return await stage.listen(port);
    } catch (error) {
      if (port === 0 || errorCode(error) !== 'EADDRINUSE') {
        throw error;
      }
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
