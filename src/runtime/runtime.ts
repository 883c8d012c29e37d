import { countFrames, NO_FRAMES, frameCountOfPage } from '../core/health/frames.ts';
import { compileManifest } from '../core/playback/compiled-manifest.ts';
import type { CompiledManifest } from '../core/playback/compiled-manifest.ts';
import type { FromStageMessage } from '../stage-link/messages.ts';
import { createWakeup } from './base/wakeup.ts';
import { createPlayerState } from './base/player-state.ts';
import { createDeviceLifecycle } from './device-lifecycle.ts';
import { createLastGoodTimeWriter } from './services/last-good-time-writer.ts';
import { createMenuService } from './services/menu-service.ts';
import { createPageRefresh } from './services/page-refresh.ts';
import { createPageWatchdog } from './services/page-watchdog.ts';
import { createPlaybackLoop } from './services/playback-loop.ts';
import { createScreenLoop } from './services/screen-loop.ts';
import { createStatusLoop } from './services/status-loop.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { buildStatus } from './base/status.ts';
import { supervise } from './base/supervisor.ts';

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
  const { clock, database, media, config } = deps;
  const log = (service: string) => deps.log.child({ service });
  const playerState = createPlayerState({ clock });
  let timezone = 'UTC';
  let held: CompiledManifest | null = null;
  let frames = NO_FRAMES;

  const wakeups = {
    playback: createWakeup(clock),
    screen: createWakeup(clock),
    status: createWakeup(clock),
  };
  playerState.onChange(wakeups.screen.wake);
  playerState.onChange(wakeups.status.wake);

  const device = createDeviceLifecycle({
    ...deps,
    playerState,
    held: () => held,
    onHeldManifest: setHeldManifest,
    onCachedMediaChange: (cached) => playback.onCachedMediaChange(cached),
    onPairingConfirmation: (untilMonoMs) => playback.holdStartUntil(untilMonoMs),
    frames: () => frames.total,
  });
  const playback = createPlaybackLoop({
    ...deps,
    playerState,
    wakeup: wakeups.playback,
    bootId: deps.machine.bootId,
    onUnplayableMedia: device.reverify,
    log: log('playback'),
  });
  const screen = createScreenLoop({
    ...deps,
    playerState,
    wakeup: wakeups.screen,
    server: config.server,
    playerVersion: config.playerVersion,
    timezone: () => timezone,
    log: log('screen'),
  });
  const refresh = createPageRefresh({
    ...deps,
    playerState,
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
    ...deps,
    playerState,
    server: config.server,
    maxCacheBytes: config.maxCacheBytes,
    installedPinHash: config.menuPinHash,
    held: () => held,
    timezone: () => timezone,
    status: () => buildStatus(playerState, config),
    clearCache: (keep) => device.clearCache(keep),
    unpair: device.unpair,
    restart: () => deps.shell.send({ type: 'restart_wanted' }),
    log: log('menu'),
  });

  function setHeldManifest(compiledManifest: CompiledManifest | null): void {
    held = compiledManifest;
    if (!compiledManifest) {
      return playback.setManifest(null, '');
    }
    const { manifest } = compiledManifest;
    timezone = manifest.organization.timezone;
    playerState.set({
      heldRevision: manifest.revision,
      deviceName: manifest.device.name,
      orientation: manifest.device.orientation,
      display: manifest.device.display,
    });
    playback.setManifest(compiledManifest, manifest.device.id);
  }

  /** Loads the held manifest from disk; one that cannot be parsed any more is fetched again. */
  function readHeldManifest(): CompiledManifest | null {
    const { held } = database.readManifests();
    try {
      return held && compileManifest(held);
    } catch (error) {
      deps.log.error({ revision: held?.revision, error: String(error) }, 'manifest.unusable');
      return null;
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
  const storedIdentity = database.readIdentity();
  playerState.set({
    identity: storedIdentity,
    localOrientation: database.readLocalSettings().orientation,
    orientation: config.orientation ?? 'landscape',
  });
  playback.onCachedMediaChange(media.cachedHashes());
  const restored = storedIdentity && readHeldManifest();
  if (restored) {
    setHeldManifest(restored);
  }

  async function respondToMenuRequest({
    id,
    request,
  }: Extract<FromStageMessage, { type: 'menu_request' }>): Promise<void> {
    deps.stage.send({ type: 'menu_response', id, response: await menu.handle(request) });
  }

  return {
    run: (signal) =>
      supervise(
        [
          playback,
          screen,
          device,
          watchdog,
          refresh,
          status,
          createLastGoodTimeWriter({ clock, database, log: log('clock') }),
          ...deps.services,
        ],
        deps,
        signal,
      ),
    onStageMessage(message) {
      if (message.type === 'beat') {
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
