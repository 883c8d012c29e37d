import type { Manifest, ServerMessage } from '@placard/protocol';
import type { FrameCount } from '../core/health/frames.ts';
import type { CompiledManifest } from '../core/playback/compiled-manifest.ts';
import type { Clock, Identity } from '../core/ports.ts';
import { downloadOrder } from '../core/sync/sync-plan.ts';
import { createWakeup } from './base/wakeup.ts';
import type { PlayerState } from './base/player-state.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { createCommandLoop } from './services/command-loop.ts';
import type { CommandActions } from './services/command-loop.ts';
import { createHeartbeatLoop } from './services/heartbeat-loop.ts';
import { createSocketLoop } from './services/socket-loop.ts';
import { createMediaCheck } from './services/media-check.ts';
import { createPlayReportLoop } from './services/play-report-loop.ts';
import { createSyncLoop } from './services/sync-loop.ts';
import { supervise } from './base/supervisor.ts';

export interface DeviceSessionDeps extends RuntimeDeps {
  playerState: PlayerState;
  held: CompiledManifest | null;
  /** Video frames since the page was opened; null until the page has reported. */
  frames(): FrameCount['total'];
  onHeldManifest(compiledManifest: CompiledManifest): void;
  onCachedMediaChange(cached: ReadonlySet<string>): void;
  /** The screen shows the pairing confirmation with the device name until this monotonic time. */
  onPairingConfirmation(untilMonoMs: number): void;
}

/** What the parts outside the session may ask of it. */
export interface DeviceSession {
  reverify(sha256: string): void;
  /** Deletes all cached files except these and downloads the needed ones again. */
  readonly clearCache: (preserved: ReadonlySet<string>) => Promise<void>;
  /** Ends as if the cloud had unpaired this player. */
  readonly unpair: () => void;
  /** Runs until the cloud has unpaired this player, or the signal aborts. */
  run(signal: AbortSignal): Promise<'unpaired' | 'stopped'>;
}

const CONFIRMATION_MS = 5_000;
/** If this process is still running after these timeouts, the restart or reboot command has failed. */
const RESTART_TIMEOUT_MS = 60_000;
const REBOOT_TIMEOUT_MS = 5 * 60_000;

/** Creates the services of a paired player and connects them. */
export function createDeviceSession(
  deps: DeviceSessionDeps,
  identity: Identity,
  isNewlyPaired: boolean,
): DeviceSession {
  const { clock, playerState, config } = deps;
  const link = deps.cloud.createDeviceLink(identity.deviceToken);
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
  const log = (service: string) => deps.log.child({ service });
  const common = { ...deps, link, onUnpaired };

  const sync = createSyncLoop({
    ...common,
    wakeup: wakeups.sync,
    server: config.server,
    log: log('sync'),
    onFirstManifest(manifest: Manifest) {
      const { name, orientation, display } = manifest.device;
      playerState.set({ deviceName: name, orientation, display });
      if (!isNewlyPaired) {
        return;
      }
      const untilMonoMs = clock.monoMs() + CONFIRMATION_MS;
      playerState.set({ confirmation: { deviceName: name, untilMonoMs } });
      deps.onPairingConfirmation(untilMonoMs);
    },
  });
  const actions: CommandActions = {
    async REFRESH(signal) {
      const done = await sync.refresh(signal);
      deps.stage.send({ type: 'reload' });
      return { stage: 'succeeded', result: done };
    },
    async APP_RESTART(signal) {
      deps.shell.send({ type: 'restart_wanted' });
      return failIfStillRunning(clock, RESTART_TIMEOUT_MS, 'the shell did not restart the player', signal);
    },
    async REBOOT(signal) {
      await deps.machine.reboot();
      return failIfStillRunning(clock, REBOOT_TIMEOUT_MS, 'the operating system did not reboot', signal);
    },
    async UPDATE_CHECK(signal, { previousProgress, reportProgress }) {
      const report = await deps.updater.update(
        { previousProgress, reportProgress: (now) => reportProgress({ ...now }) },
        signal,
      );
      const failed = report.outcome === 'failed' || report.outcome === 'rolled_back';
      return { stage: failed ? 'failed' : 'succeeded', result: { ...report } };
    },
  };
  const commandLoop = createCommandLoop({
    ...common,
    wakeup: wakeups.commands,
    launch: { bootId: deps.machine.bootId, launchId: config.launchId },
    uptimeSeconds: () => deps.machine.uptimeSeconds(),
    actions,
    log: log('commands'),
  });
  const onOnline = () => {
    wakeups.plays.wake();
    wakeups.commands.wake();
  };
  const socketLoop = createSocketLoop({
    ...common,
    playerVersion: config.playerVersion,
    bootId: deps.machine.bootId,
    onMessage,
    onSocketUnavailable: wakeups.heartbeat.wake,
    log: log('link'),
  });
  const heartbeat = createHeartbeatLoop({
    ...common,
    wakeup: wakeups.heartbeat,
    playerVersion: config.playerVersion,
    shell: config.shell,
    tzVersion: config.tzVersion,
    uptimeSeconds: () => deps.machine.uptimeSeconds(),
    isSocketOpen: socketLoop.isOpen,
    onCommands: commandLoop.accept,
    onTargetRevision: sync.setTargetRevision,
    onOnline,
    log: log('heartbeat'),
  });
  const playReportLoop = createPlayReportLoop({ ...common, wakeup: wakeups.plays, log: log('plays') });
  const mediaCheck = createMediaCheck({
    ...common,
    hashesInShowOrder: () =>
      deps.held ? downloadOrder(deps.held, clock.wallMs()).map((asset) => asset.sha256) : [],
    onFileLost() {
      deps.onCachedMediaChange(deps.media.cachedHashes());
      wakeups.sync.wake();
    },
    log: log('media-check'),
  });

  function onMessage(message: ServerMessage): void {
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
      case 'unpaired':
        onUnpaired();
        break;
    }
  }

  return {
    reverify: sync.reverify,
    clearCache: (preserved) => sync.clearCache(preserved),
    unpair: onUnpaired,
    async run(signal) {
      const stop = () => ended.abort();
      if (signal.aborted) {
        stop();
      }
      signal.addEventListener('abort', stop, { once: true });
      await supervise(
        [sync, socketLoop, heartbeat, playReportLoop, commandLoop, mediaCheck],
        deps,
        ended.signal,
      );
      signal.removeEventListener('abort', stop);
      return unpaired ? 'unpaired' : 'stopped';
    },
  };
}

/** Waits for the requested restart or reboot to end this process; throws when it has not happened in time. */
async function failIfStillRunning(
  clock: Clock,
  ms: number,
  reason: string,
  signal: AbortSignal,
): Promise<never> {
  await clock.sleep(ms, signal);
  throw new Error(reason);
}
