import { countFrames, NO_FRAMES, frameCountOfPage } from '../core/health/frames.ts';
import type { CompiledManifest } from '../core/playback/compiled-manifest.ts';
import type { FromStageMessage } from '@placard/protocol/stage';
import { compileStoredManifest } from './base/compile-stored-manifest.ts';
import { readHealthSignals } from './base/health-signals.ts';
import { createWakeup } from './base/wakeup.ts';
import { createPlayerState } from './base/player-state.ts';
import { createDeviceLifecycle } from './device-lifecycle.ts';
import { createDeviceSession } from './device-session.ts';
import { createLastGoodTimeWriter } from './services/last-good-time-writer.ts';
import { createMenuService } from './services/menu-service.ts';
import { createPageRefresh } from './services/page-refresh.ts';
import { createPageWatchdog } from './services/page-watchdog.ts';
import { pair } from './services/pairing-loop.ts';
import { createPlaybackLoop } from './services/playback-loop.ts';
import { createScreenLoop } from './services/screen-loop.ts';
import { createUpdateLoop } from './services/update-loop.ts';
import { createStatusLoop } from './services/status-loop.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { buildStatus } from './base/status.ts';
import { runServices } from './base/supervisor.ts';

/** The player without its window: all decisions and all stored state. */
export interface Runtime {
  /** Resolves when everything has stopped after the signal aborted. */
  run(signal: AbortSignal): Promise<void>;
  onStageMessage(message: FromStageMessage): void;
  onStageConnection(connected: boolean): void;
  /** A page is about to be opened. */
  onPageOpening(): void;
  /** The wall clock was corrected by at least `MIN_CLOCK_STEP_MS`. */
  onClockCorrected(): void;
  /** Safe mode, after repeated crashes: the shell renders in software and only images are shown. */
  readonly setSafeMode: (on: boolean) => void;
  /** The document of `status.json`. */
  status(): object;
}

/** Creates and connects the services. The manifest on disk is loaded when this returns, before any network access. */
export function createRuntime(deps: RuntimeDeps): Runtime {
  const { clock, random, database, media, telemetry, machine, stage, config } = deps;
  const log = (service: string) => deps.log.child({ service });
  const playerState = createPlayerState({ clock, orientation: config.orientation });
  let timezone = 'UTC';
  let held: CompiledManifest | null = null;
  let frames = NO_FRAMES;
  /** A page has sent beats since this process started. */
  let isPageDrawing = false;

  const wakeups = {
    playback: createWakeup(clock),
    screen: createWakeup(clock),
    status: createWakeup(clock),
  };
  playerState.onChange(wakeups.screen.wake);
  playerState.onChange(wakeups.status.wake);

  const reloadPage = () => stage.send({ type: 'reload' });
  const restartPlayer = () => deps.shell.send({ type: 'restart_wanted' });

  const updates = createUpdateLoop({
    clock,
    random,
    updater: deps.updater,
    window: config.updateWindow,
    timezone: () => timezone,
    healthSignals: () => readHealthSignals(playerState, isPageDrawing),
    log: log('updates'),
  });
  const device = createDeviceLifecycle({
    clock,
    database,
    media,
    playerState,
    pair: (signal) =>
      pair(
        {
          clock,
          random,
          database,
          cloud: deps.cloud,
          telemetry,
          machine,
          playerVersion: config.playerVersion,
          playerState,
          log: log('pairing'),
        },
        signal,
      ),
    createSession: (identity, isNewlyPaired) =>
      createDeviceSession({
        clock,
        random,
        database,
        media,
        telemetry,
        machine,
        updater: updates,
        link: deps.cloud.createDeviceLink(identity.deviceToken),
        playerState,
        config,
        held,
        isNewlyPaired,
        frames: () => frames.total,
        onHeldManifest: setHeldManifest,
        onCachedMediaChange: (cached) => playback.onCachedMediaChange(cached),
        onPairingConfirmation: (untilMonoMs) => playback.holdStartUntil(untilMonoMs),
        reloadPage,
        restartPlayer,
        log: deps.log,
      }),
    onUnpaired() {
      held = null;
      playback.setManifest(null, '');
    },
    onCachedMediaChange: (cached) => playback.onCachedMediaChange(cached),
    log: deps.log,
  });
  const playback = createPlaybackLoop({
    clock,
    random,
    database,
    playerState,
    wakeup: wakeups.playback,
    bootId: machine.bootId,
    stage,
    onUnplayableMedia: device.reverify,
    log: log('playback'),
  });
  const screen = createScreenLoop({
    clock,
    playerState,
    telemetry,
    machine,
    wakeup: wakeups.screen,
    stage,
    server: config.server,
    playerVersion: config.playerVersion,
    timezone: () => timezone,
  });
  const refresh = createPageRefresh({
    clock,
    playerState,
    reloadPage,
    timezone: () => timezone,
    log: log('page-refresh'),
  });
  const watchdog = createPageWatchdog({
    clock,
    playerState,
    onPageLost: () => deps.shell.send({ type: 'stage_lost' }),
    log: log('page-watchdog'),
  });
  const status = createStatusLoop({
    playerState,
    wakeup: wakeups.status,
    file: deps.statusFile,
    config,
    log: log('status'),
  });

  const menu = createMenuService({
    clock,
    playerState,
    database,
    media,
    cloud: deps.cloud,
    telemetry,
    machine,
    pinVerifier: deps.pinVerifier,
    supportBundle: deps.supportBundle,
    server: config.server,
    maxCacheBytes: config.maxCacheBytes,
    installedPinHash: config.menuPinHash,
    held: () => held,
    timezone: () => timezone,
    status: () => buildStatus(playerState, config),
    clearCache: (preserved) => device.clearCache(preserved),
    unpair: device.unpair,
    restart: restartPlayer,
    log: log('menu'),
  });

  function setHeldManifest(compiledManifest: CompiledManifest): void {
    held = compiledManifest;
    const { manifest } = compiledManifest;
    timezone = manifest.organization.timezone;
    playerState.set({ heldRevision: manifest.revision });
    playerState.setDevice(manifest.device);
    playback.setManifest(compiledManifest, manifest.device.id);
  }

  /** Loads the manifests from disk; without a usable one to show from, the target has at least the device's name. */
  function loadManifests(): void {
    const stored = database.readManifests();
    const restored = compileStoredManifest(stored.held, deps.log);
    if (restored) {
      setHeldManifest(restored);
    } else if (stored.target) {
      playerState.setDevice(stored.target.device);
    }
  }

  if (deps.damagedDatabasePath) {
    playerState.raise('store.corrupt', { set_aside: deps.damagedDatabasePath });
  }
  if (deps.substituteDir) {
    // A fault source of its own, so that nothing clears this fault while the process runs.
    playerState.createFaultSource().raise('disk.readonly', {
      working_in: deps.substituteDir,
      unreported_plays_kept: 'until the device restarts',
    });
  }
  const identity = database.readIdentity();
  playerState.set({ identity, localOrientation: database.readLocalSettings().orientation });
  playback.onCachedMediaChange(media.cachedHashes());
  if (identity) {
    loadManifests();
  }

  async function respondToMenuRequest({
    id,
    request,
  }: Extract<FromStageMessage, { type: 'menu_request' }>): Promise<void> {
    stage.send({ type: 'menu_response', id, response: await menu.handle(request) });
  }

  return {
    run: (signal) =>
      runServices(
        [
          playback,
          screen,
          device,
          watchdog,
          refresh,
          status,
          createLastGoodTimeWriter({ clock, database, log: log('last-good-time') }),
          updates,
        ],
        { clock, random, log: deps.log },
        signal,
      ),
    onStageMessage(message) {
      if (message.type === 'beat') {
        isPageDrawing = true;
        watchdog.onBeat();
        frames = countFrames(frames, message.frames, message.dropped_frames);
      }
      if (message.type === 'hello') {
        frames = frameCountOfPage(frames, message.page_id);
        menu.lock();
        refresh.onPageConnected(message.page_id);
        screen.onPageConnected();
      }
      if (message.type === 'menu_request') {
        void respondToMenuRequest(message);
      } else if (message.type === 'capabilities') {
        playerState.set({ videoCapabilities: message.videos });
      } else {
        playback.onStageMessage(message);
      }
    },
    onStageConnection(connected) {
      if (connected) {
        return;
      }
      menu.lock();
      playback.onPageGone();
    },
    onPageOpening: watchdog.onPageOpening,
    onClockCorrected: wakeups.playback.wake,
    setSafeMode(on) {
      if (on) {
        playerState.raise('stage.safe_mode');
      } else {
        playerState.clear('stage.safe_mode');
      }
      playback.setImagesOnly(on);
    },
    status: () => buildStatus(playerState, config),
  };
}
