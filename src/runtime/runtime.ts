import { countFrames, NO_FRAMES, frameCountOfPage } from '../core/health/frames.ts';
import type { CompiledManifest } from '../core/playback/compiled-manifest.ts';
import type { FromStageMessage } from '@placard/protocol/stage';
import { compileStoredManifest } from './base/compile-stored-manifest.ts';
import { readHealthSignals } from './base/health-signals.ts';
import { createStarts } from './base/starts.ts';
import { createWindowScreenshots } from './base/window-screenshots.ts';
import type { WindowScreenshots } from './base/window-screenshots.ts';
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
  /** The shell has taken the picture that it was asked for. */
  readonly onScreenshot: WindowScreenshots['onScreenshot'];
  /** The wall clock was corrected by at least `MIN_CLOCK_STEP_MS`. */
  onClockCorrected(): void;
  /** Safe mode, after repeated crashes: the shell renders in software and only images are shown. */
  readonly setSafeMode: (on: boolean) => void;
  /** The document of `status.json`. */
  status(): object;
}

/** Creates and connects the services. The manifest on disk is loaded when this returns, before any network access. */
export function createRuntime(deps: RuntimeDeps): Runtime {
  const { clock, database, media, machine, stage, config } = deps;
  const log = (service: string) => deps.log.child({ service });
  const playerState = createPlayerState({ clock, orientation: config.orientation });
  let timezone = 'UTC';
  let held: CompiledManifest | null = null;
  let frames = NO_FRAMES;
  /** A page has sent beats since this process started. */
  let isPageDrawing = false;
  const starts = createStarts({ clock, database, log: deps.log });
  const healthSignals = () => readHealthSignals(playerState, isPageDrawing);

  const wakeups = {
    playback: createWakeup(clock),
    screen: createWakeup(clock),
    status: createWakeup(clock),
  };
  playerState.onChange(wakeups.screen.wake);
  playerState.onChange(wakeups.status.wake);

  const screenshots = createWindowScreenshots({ clock, shell: deps.shell, playerState });

  /** For every service; its type picks what it needs. */
  const shared = {
    ...deps,
    ...config,
    playerState,
    timezone: () => timezone,
    onCachedMediaChange: (cached: ReadonlySet<string>) => playback.onCachedMediaChange(cached),
    reloadPage: () => stage.send({ type: 'reload' }),
    restartPlayer: () => deps.shell.send({ type: 'restart_wanted' }),
    takeScreenshot: screenshots.take,
    status: () => buildStatus(playerState, config),
  };

  const updates = createUpdateLoop({
    ...shared,
    window: config.updateWindow,
    healthSignals,
    isHeld: () => playerState.fields.updatesHeld,
    log: log('updates'),
  });
  const device = createDeviceLifecycle({
    ...shared,
    pair: (signal) => pair({ ...shared, log: log('pairing') }, signal),
    createSession: (identity, isNewlyPaired) =>
      createDeviceSession({
        ...shared,
        updater: updates,
        deviceId: identity.deviceId,
        link: deps.cloud.createDeviceLink(identity.deviceToken),
        held,
        isNewlyPaired,
        frames: () => frames.total,
        starts: starts.read,
        onHeldManifest: setHeldManifest,
        onPairingConfirmation: (untilMonoMs) => playback.holdStartUntil(untilMonoMs),
      }),
    onUnpaired() {
      held = null;
      playback.setManifest(null, '');
    },
  });
  const playback = createPlaybackLoop({
    ...shared,
    wakeup: wakeups.playback,
    bootId: machine.bootId,
    onUnplayableMedia: device.reverify,
    log: log('playback'),
  });
  const screen = createScreenLoop({ ...shared, wakeup: wakeups.screen });
  const refresh = createPageRefresh({ ...shared, log: log('page-refresh') });
  const watchdog = createPageWatchdog({
    ...shared,
    onPageLost: () => deps.shell.send({ type: 'stage_lost' }),
    log: log('page-watchdog'),
  });
  const status = createStatusLoop({
    ...shared,
    wakeup: wakeups.status,
    file: deps.statusFile,
    log: log('status'),
  });

  const menu = createMenuService({
    ...shared,
    held: () => held,
    clearCache: (preserved) => device.clearCache(preserved),
    unpair: device.unpair,
    log: log('menu'),
  });

  function setHeldManifest(compiledManifest: CompiledManifest): void {
    held = compiledManifest;
    const { manifest } = compiledManifest;
    timezone = manifest.organization.timezone;
    playerState.set({ heldRevision: manifest.revision });
    playerState.setDevice(manifest);
    playback.setManifest(compiledManifest, manifest.device.id);
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
  playerState.set({
    identity,
    localOrientation: database.readLocalSettings().orientation,
    updatesHeld: database.readUpdatesHeld(),
  });
  playback.onCachedMediaChange(media.cachedHashes());
  if (identity) {
    // Without a usable manifest to show from, the target has at least the device's name.
    const stored = database.readManifests();
    const restored = compileStoredManifest(stored.held, deps.log);
    if (restored) {
      setHeldManifest(restored);
    } else if (stored.target) {
      playerState.setDevice(stored.target);
    }
    if (stored.target) {
      playerState.setScreenshots(stored.target);
    }
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
          createLastGoodTimeWriter({ ...deps, log: log('last-good-time') }),
          updates,
        ],
        deps,
        signal,
      ),
    onStageMessage(message) {
      if (message.type === 'beat') {
        isPageDrawing = true;
        watchdog.onBeat();
        frames = countFrames(frames, message.frames, message.dropped_frames);
        if (healthSignals().hasShownPicture) {
          starts.onPicture();
        }
      }
      if (message.type === 'hello') {
        frames = frameCountOfPage(frames, message.page_id);
        menu.lock();
        refresh.onPageConnected(message.page_id);
        screen.onPageConnected();
      }
      if (message.type === 'menu_request') {
        const { id, request } = message;
        void menu.handle(request).then((response) => stage.send({ type: 'menu_response', id, response }));
      } else if (message.type === 'capabilities') {
        playerState.set({ videoCapabilities: message.videos, displaySize: message.display ?? null });
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
    onScreenshot: screenshots.onScreenshot,
    onClockCorrected: wakeups.playback.wake,
    setSafeMode(on) {
      playerState.setFault('stage.safe_mode', on ? {} : null);
      playback.setImagesOnly(on);
    },
    status: () => buildStatus(playerState, config),
  };
}
