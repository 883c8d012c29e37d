import type { Orientation } from '@placard/protocol';
import { countFrames, NO_FRAMES, pageFrames } from '../core/health/frames.ts';
import { programmeOf, type Programme } from '../core/playback/programme.ts';
import type {
  Clock,
  CloudLink,
  Log,
  Machine,
  MediaCache,
  PinCheck,
  Random,
  StatusFile,
  Store,
  SupportBundle,
  Telemetry,
  Updater,
} from '../core/ports.ts';
import type { FromStage, ToStage } from '../stage-link/messages.ts';
import { createBell } from './bell.ts';
import { createBoard } from './board.ts';
import { createDeviceLife } from './device-life.ts';
import { createClockKeeper } from './services/clock-keeper.ts';
import { createMenuService } from './services/menu-service.ts';
import { createPageRefresh } from './services/page-refresh.ts';
import { createPageWatchdog } from './services/page-watchdog.ts';
import { createPlaybackLoop } from './services/playback-loop.ts';
import { createScreenLoop } from './services/screen-loop.ts';
import { createStatusLoop } from './services/status-loop.ts';
import type { FromRuntime } from './shell-link.ts';
import { statusOf } from './status.ts';
import { supervise, type Service } from './supervisor.ts';

export interface RuntimeDeps {
  config: {
    /** Address of the cloud. */
    server: string;
    /** Which shell shows the picture. */
    shell: string;
    playerVersion: string;
    /** Version of the time zone data of this process. */
    tzVersion?: string | undefined;
    /** The same for every runtime process of one launch of the shell. */
    launchId: string;
    /** How the picture is turned until the cloud says. */
    orientation?: Orientation;
    /** Bytes that the media cache may take; null: no limit but the disk's. */
    maxCacheBytes: number | null;
    /** Hash of the PIN of the technician menu that was set at the installation; null: none was. */
    menuPinHash: string | null;
  };
  clock: Clock;
  random: Random;
  store: Store;
  media: MediaCache;
  cloud: CloudLink;
  telemetry: Telemetry;
  machine: Machine;
  updater: Updater;
  pinCheck: PinCheck;
  support: SupportBundle;
  statusFile: StatusFile;
  stage: { send(message: ToStage): void };
  shell: { send(message: FromRuntime): void };
  /** Loops of the composition root that run under the same supervisor. */
  services: readonly Service[];
  /** Where a damaged database was put at this start; null when it was sound. */
  storeSetAside: string | null;
  /** The folder that stands in for a data folder on a read-only disk; null: the disk takes writes. */
  substitute: string | null;
  log: Log;
}

/** The player without its window: everything that decides and remembers. */
export interface Runtime {
  /** Resolves when everything has stopped after the signal aborted. */
  run(signal: AbortSignal): Promise<void>;
  fromStage(message: FromStage): void;
  stageConnected(connected: boolean): void;
  /** A page is about to be opened. */
  pageIssued(): void;
  /** The wall clock was corrected by more than a moment. */
  clockStepped(): void;
  /** The shell draws in software after one crash upon the other: images alone are shown. */
  readonly safeMode: (on: boolean) => void;
  /** The document of `status.json`. */
  status(): object;
}

/** Ties the loops together. What is on the disk is ready to be played when this returns, before any network. */
export function createRuntime(deps: RuntimeDeps): Runtime {
  const { clock, store, media, config } = deps;
  const log = (service: string) => deps.log.child({ service });
  const board = createBoard({ clock });
  let timezone = 'UTC';
  let held: Programme | null = null;
  let frames = NO_FRAMES;

  const bells = {
    playback: createBell(clock),
    screen: createBell(clock),
    status: createBell(clock),
  };
  board.onChange(bells.screen.ring);
  board.onChange(bells.status.ring);

  const device = createDeviceLife({
    ...deps,
    board,
    held: () => held,
    onHeld: hold,
    onMedia: (files) => playback.mediaChanged(files),
    onConfirm: (untilMono) => playback.waitUntil(untilMono),
    frames: () => frames.counted,
  });
  const playback = createPlaybackLoop({
    ...deps,
    board,
    bell: bells.playback,
    bootId: deps.machine.bootId,
    onSuspect: device.suspect,
    log: log('playback'),
  });
  const screen = createScreenLoop({
    ...deps,
    board,
    bell: bells.screen,
    server: config.server,
    playerVersion: config.playerVersion,
    timezone: () => timezone,
    log: log('screen'),
  });
  const refresh = createPageRefresh({ ...deps, board, timezone: () => timezone, log: log('page-refresh') });
  const watchdog = createPageWatchdog({
    clock,
    board,
    onLost: () => deps.shell.send({ type: 'stage_lost' }),
    log: log('page-watchdog'),
  });
  const status = createStatusLoop({
    board,
    bell: bells.status,
    file: deps.statusFile,
    config,
    log: log('status'),
  });

  const menu = createMenuService({
    ...deps,
    board,
    server: config.server,
    maxCacheBytes: config.maxCacheBytes,
    installedPinHash: config.menuPinHash,
    held: () => held,
    timezone: () => timezone,
    status: () => statusOf(board, config),
    clearCache: (keep) => device.clearCache(keep),
    forgetDevice: device.forget,
    restart: () => deps.shell.send({ type: 'restart_wanted' }),
    log: log('menu'),
  });

  function hold(programme: Programme | null): void {
    held = programme;
    if (!programme) return playback.hold(null, '');
    const { manifest } = programme;
    timezone = manifest.organization.timezone;
    board.set({
      heldRevision: manifest.revision,
      deviceName: manifest.device.name,
      orientation: manifest.device.orientation,
      display: manifest.device.display,
    });
    playback.hold(programme, manifest.device.id);
  }

  /** What the disk remembers of the manifest; one that cannot be understood any more is fetched again. */
  function heldOnDisk(): Programme | null {
    const { held } = store.readManifests();
    try {
      return held && programmeOf(held);
    } catch (error) {
      deps.log.error({ revision: held?.revision, error: String(error) }, 'manifest.unusable');
      return null;
    }
  }

  if (deps.storeSetAside) board.raise('store.corrupt', { set_aside: deps.storeSetAside });
  if (deps.substitute) {
    // A voice that nobody else has: it stands for as long as this process runs.
    board.voice().raise('disk.readonly', {
      working_in: deps.substitute,
      unreported_plays_kept: 'until the box restarts',
    });
  }
  const known = store.readIdentity();
  board.set({
    identity: known,
    localOrientation: store.readLocal().orientation,
    orientation: config.orientation ?? 'landscape',
  });
  playback.mediaChanged(media.held());
  const kept = known && heldOnDisk();
  if (kept) hold(kept);

  async function answer({ id, request }: Extract<FromStage, { type: 'menu_request' }>): Promise<void> {
    deps.stage.send({ type: 'menu_answer', id, answer: await menu.answer(request) });
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
          createClockKeeper({ clock, store, log: log('clock') }),
          ...deps.services,
        ],
        deps,
        signal,
      ),
    fromStage(message) {
      if (message.type === 'beat') {
        watchdog.beat();
        frames = countFrames(frames, message.frames, message.dropped_frames);
      }
      if (message.type === 'hello') {
        frames = pageFrames(frames, message.page_id);
        menu.lock();
        refresh.pageArrived(message.page_id);
        screen.pageArrived();
      }
      if (message.type === 'menu_request') void answer(message);
      else if (message.type === 'capabilities') board.set({ videos: message.videos });
      else playback.fromStage(message);
    },
    stageConnected(connected) {
      if (connected) return;
      menu.lock();
      playback.pageGone();
    },
    pageIssued: watchdog.pageIssued,
    clockStepped: bells.playback.ring,
    safeMode(on) {
      if (on) board.raise('stage.safe_mode');
      else board.clear('stage.safe_mode');
      playback.imagesOnly(on);
    },
    status: () => statusOf(board, config),
  };
}
