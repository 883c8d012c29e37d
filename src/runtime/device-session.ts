import { MAX_LIVE_PICTURE_PIXELS } from '@placard/protocol';
import type { LiveAnswer, LiveWanted, Manifest, PushedMessage, ReportedState } from '@placard/protocol';
import type { FrameCount } from '../core/health/frames.ts';
import type { CompiledManifest } from '../core/playback/compiled-manifest.ts';
import type { Updater } from '../core/ports.ts';
import { downloadOrder } from '../core/sync/sync-plan.ts';
import type { ServiceDeps } from './base/service-deps.ts';
import { runServices } from './base/supervisor.ts';
import { createWakeup } from './base/wakeup.ts';
import type { WindowScreenshots } from './base/window-screenshots.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { createCapabilitiesLoop } from './services/capabilities-loop.ts';
import { createCommandActions } from './services/command-actions.ts';
import { createCommandLoop } from './services/command-loop.ts';
import { createHeartbeatLoop } from './services/heartbeat-loop.ts';
import { createLiveAnswers } from './services/live-answers.ts';
import { createMediaCheck } from './services/media-check.ts';
import { createPlayReportLoop } from './services/play-report-loop.ts';
import { createScreenshotLoop } from './services/screenshot-loop.ts';
import { createSocketLoop } from './services/socket-loop.ts';
import { createSyncLoop } from './services/sync-loop.ts';

interface DeviceSessionDeps extends Omit<ServiceDeps, 'updater' | 'wakeup' | 'onUnpaired'> {
  updater: Updater;
  config: RuntimeDeps['config'];
  /** The held manifest, loaded from disk; null: none. */
  held: CompiledManifest | null;
  deviceId: string;
  /** Paired by this process: the first manifest brings the name for the confirmation. */
  isNewlyPaired: boolean;
  takeScreenshot: WindowScreenshots['take'];
  /** What `status.json` has. */
  status(): object;
  /** Video frames since the page was opened; null until the page has reported. */
  frames(): FrameCount['total'];
  /** Of this player, and the time until the first picture of this one. */
  starts(): ReportedState['starts'];
  onHeldManifest(compiledManifest: CompiledManifest): void;
  /** The screen shows the pairing confirmation with the device name until this monotonic time. */
  onPairingConfirmation(untilMonoMs: number): void;
}

/** What the parts outside the session may ask of it. */
export type DeviceSession = ReturnType<typeof createDeviceSession>;

const CONFIRMATION_MS = 5_000;

/** Creates the services of a paired player and connects them. */
export function createDeviceSession(deps: DeviceSessionDeps) {
  const { clock, media, machine, playerState, config } = deps;
  const ended = new AbortController();
  let unpaired = false;
  const onUnpaired = () => {
    unpaired = true;
    ended.abort();
  };
  const wakeups = {
    sync: createWakeup(clock),
    heartbeat: createWakeup(clock),
    plays: createWakeup(clock),
    commands: createWakeup(clock),
  };
  const shared = { ...deps, ...config, onUnpaired };
  const log = (service: string) => deps.log.child({ service });
  const uptimeSeconds = () => machine.uptimeSeconds();

  const sync = createSyncLoop({ ...shared, wakeup: wakeups.sync, onFirstManifest, log: log('sync') });
  const commandLoop = createCommandLoop({
    ...shared,
    wakeup: wakeups.commands,
    launch: { bootId: machine.bootId, launchId: config.launchId },
    uptimeSeconds,
    actions: createCommandActions({ ...shared, refresh: sync.refresh }),
    log: log('commands'),
  });
  const onOnline = () => {
    wakeups.plays.wake();
    wakeups.commands.wake();
  };
  const socketLoop = createSocketLoop({
    ...shared,
    bootId: machine.bootId,
    onMessage,
    onSocketUnavailable: wakeups.heartbeat.wake,
    log: log('socket'),
  });
  const heartbeat = createHeartbeatLoop({
    ...shared,
    wakeup: wakeups.heartbeat,
    uptimeSeconds,
    onCommands: commandLoop.accept,
    onTargetRevision: sync.setTargetRevision,
    onOnline,
    log: log('heartbeat'),
  });
  const playReportLoop = createPlayReportLoop({ ...shared, wakeup: wakeups.plays, log: log('play-report') });
  const screenshotLoop = createScreenshotLoop({
    ...shared,
    wakeup: createWakeup(clock),
    log: log('screenshots'),
  });
  const answerTo = (wanted: LiveWanted, answer: (signal: AbortSignal) => Promise<LiveAnswer>) =>
    createLiveAnswers({ ...shared, wanted, answer, wakeup: createWakeup(clock), log: log('live') });
  const live = {
    picture: answerTo('picture', async (signal) => {
      const { image } = await deps.takeScreenshot(signal, MAX_LIVE_PICTURE_PIXELS);
      return { kind: 'picture', image };
    }),
    log_lines: answerTo('log_lines', async () => ({
      kind: 'log_lines',
      log: deps.supportBundle.newestLines(),
    })),
  };
  const capabilitiesLoop = createCapabilitiesLoop({
    ...shared,
    wakeup: createWakeup(clock),
    log: log('capabilities'),
  });
  const mediaCheck = createMediaCheck({
    clock,
    media,
    hashesInShowOrder: () =>
      deps.held ? downloadOrder(deps.held, clock.wallMs()).map((asset) => asset.sha256) : [],
    onFileLost() {
      deps.onCachedMediaChange(media.cachedHashes());
      wakeups.sync.wake();
    },
    log: log('media-check'),
  });

  function onFirstManifest(manifest: Manifest): void {
    playerState.setDevice(manifest);
    if (!deps.isNewlyPaired) {
      return;
    }
    const untilMonoMs = clock.monoMs() + CONFIRMATION_MS;
    playerState.set({ confirmation: { deviceName: manifest.device.name, untilMonoMs } });
    deps.onPairingConfirmation(untilMonoMs);
  }

  function onMessage(message: PushedMessage): void {
    switch (message.type) {
      case 'welcome':
        heartbeat.setInterval(message.heartbeat_interval * 1_000);
        sync.setTargetRevision(message.manifest_revision);
        wakeups.heartbeat.wake();
        onOnline();
        break;
      case 'manifest_changed':
        sync.setTargetRevision(message.revision);
        break;
      case 'command':
        commandLoop.accept([message.command]);
        break;
      case 'live_request':
        live[message.wanted].request();
        break;
      case 'unpaired':
        onUnpaired();
        break;
    }
  }

  return {
    reverify: sync.reverify,
    clearCache: sync.clearCache,
    /** Ends as if the cloud had unpaired this player. */
    unpair: onUnpaired,
    /** Runs until the cloud has unpaired this player, or the signal aborts. */
    async run(signal: AbortSignal): Promise<'unpaired' | 'stopped'> {
      const stop = () => ended.abort();
      if (signal.aborted) {
        stop();
      }
      signal.addEventListener('abort', stop, { once: true });
      await runServices(
        [
          sync,
          socketLoop,
          heartbeat,
          playReportLoop,
          commandLoop,
          screenshotLoop,
          live.picture,
          live.log_lines,
          capabilitiesLoop,
          mediaCheck,
        ],
        deps,
        ended.signal,
      );
      signal.removeEventListener('abort', stop);
      return unpaired ? 'unpaired' : 'stopped';
    },
  };
}
