import type { Manifest, ServerMessage } from '@placard/protocol';
import type { FrameCount } from '../core/health/frames.ts';
import type { Programme } from '../core/playback/programme.ts';
import type { Clock, Identity } from '../core/ports.ts';
import { inOrderOfNeed } from '../core/sync/plan.ts';
import { createBell } from './bell.ts';
import type { Board } from './board.ts';
import type { RuntimeDeps } from './runtime.ts';
import { createCommandLoop, type CommandActs } from './services/command-loop.ts';
import { createHeartbeatLoop } from './services/heartbeat-loop.ts';
import { createLinkLoop } from './services/link-loop.ts';
import { createMediaCheck } from './services/media-check.ts';
import { createPlaysLoop } from './services/plays-loop.ts';
import { createSyncLoop } from './services/sync-loop.ts';
import { supervise } from './supervisor.ts';

export interface DeviceSessionDeps extends RuntimeDeps {
  board: Board;
  held: Programme | null;
  /** Video frames since the page was opened; null until it has told. */
  frames(): FrameCount['counted'];
  onHeld(programme: Programme): void;
  onMedia(held: ReadonlySet<string>): void;
  /** The pairing is confirmed with the name of the device until this instant of the monotonic clock. */
  onConfirm(untilMono: number): void;
}

/** Bells that loops outside of the session ring. */
export interface DeviceSession {
  suspect(sha256: string): void;
  /** Throws away every file but these and fetches what is wanted anew. */
  readonly clearCache: (keep: ReadonlySet<string>) => Promise<void>;
  /** Ends as if the cloud had unpaired this player. */
  readonly forget: () => void;
  /** Runs until the cloud has unpaired this player, or the signal aborts. */
  run(signal: AbortSignal): Promise<'unpaired' | 'stopped'>;
}

const CONFIRM_MS = 5_000;
/** A command that should have ended this process, and has not by then, did not work. */
const RESTART_MS = 60_000;
const REBOOT_MS = 5 * 60_000;

/** The loops of a paired player, tied together. */
export function createDeviceSession(
  deps: DeviceSessionDeps,
  identity: Identity,
  fresh: boolean,
): DeviceSession {
  const { clock, board, config } = deps;
  const link = deps.cloud.device(identity.deviceToken);
  const ended = new AbortController();
  let unpaired = false;
  const onUnpaired = () => {
    unpaired = true;
    ended.abort();
  };
  const bells = {
    sync: createBell(clock),
    heartbeat: createBell(clock),
    plays: createBell(clock),
    commands: createBell(clock),
  };
  const log = (service: string) => deps.log.child({ service });
  const common = { ...deps, link, onUnpaired };

  const sync = createSyncLoop({
    ...common,
    bell: bells.sync,
    server: config.server,
    log: log('sync'),
    onFirstManifest(manifest: Manifest) {
      const { name, orientation, display } = manifest.device;
      board.set({ deviceName: name, orientation, display });
      if (!fresh) return;
      const untilMono = clock.mono() + CONFIRM_MS;
      board.set({ confirm: { deviceName: name, untilMono } });
      deps.onConfirm(untilMono);
    },
  });
  const acts: CommandActs = {
    async REFRESH(signal) {
      const done = await sync.refresh(signal);
      deps.stage.send({ type: 'reload' });
      return { stage: 'succeeded', result: done };
    },
    async APP_RESTART(signal) {
      deps.shell.send({ type: 'restart_wanted' });
      return outlived(clock, RESTART_MS, 'the shell did not restart the player', signal);
    },
    async REBOOT(signal) {
      await deps.machine.reboot();
      return outlived(clock, REBOOT_MS, 'the operating system did not reboot', signal);
    },
    async UPDATE_CHECK(signal, { before, tell }) {
      const report = await deps.updater.update({ before, tell: (now) => tell({ ...now }) }, signal);
      const failed = report.outcome === 'failed' || report.outcome === 'rolled_back';
      return { stage: failed ? 'failed' : 'succeeded', result: { ...report } };
    },
  };
  const commands = createCommandLoop({
    ...common,
    bell: bells.commands,
    launch: { bootId: deps.machine.bootId, launchId: config.launchId },
    uptimeSeconds: () => deps.machine.uptimeSeconds(),
    acts,
    log: log('commands'),
  });
  const onOnline = () => {
    bells.plays.ring();
    bells.commands.ring();
  };
  const linkLoop = createLinkLoop({
    ...common,
    playerVersion: config.playerVersion,
    bootId: deps.machine.bootId,
    onMessage,
    onNoSocket: bells.heartbeat.ring,
    log: log('link'),
  });
  const heartbeat = createHeartbeatLoop({
    ...common,
    bell: bells.heartbeat,
    playerVersion: config.playerVersion,
    shell: config.shell,
    tzVersion: config.tzVersion,
    uptimeSeconds: () => deps.machine.uptimeSeconds(),
    socketOpen: linkLoop.open,
    onCommands: commands.accept,
    onRevision: sync.wanted,
    onOnline,
    log: log('heartbeat'),
  });
  const plays = createPlaysLoop({ ...common, bell: bells.plays, log: log('plays') });
  const mediaCheck = createMediaCheck({
    ...common,
    inOrder: () => (deps.held ? inOrderOfNeed(deps.held, clock.wall()).map((asset) => asset.sha256) : []),
    onLost() {
      deps.onMedia(deps.media.held());
      bells.sync.ring();
    },
    log: log('media-check'),
  });

  function onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome':
        heartbeat.setInterval(message.heartbeat_interval * 1_000);
        sync.wanted(message.manifest_revision);
        bells.heartbeat.ring();
        onOnline();
        break;
      case 'manifest_changed':
        sync.wanted(message.revision);
        break;
      case 'command':
        commands.accept([message.command]);
        break;
      case 'unpaired':
        onUnpaired();
        break;
    }
  }

  return {
    suspect: sync.suspect,
    clearCache: (keep) => sync.clear(keep),
    forget: onUnpaired,
    async run(signal) {
      const stop = () => ended.abort();
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      await supervise([sync, linkLoop, heartbeat, plays, commands, mediaCheck], deps, ended.signal);
      signal.removeEventListener('abort', stop);
      return unpaired ? 'unpaired' : 'stopped';
    },
  };
}

/** Waits for the end that was asked for; a process that is still there afterwards has not been ended. */
async function outlived(clock: Clock, ms: number, reason: string, signal: AbortSignal): Promise<never> {
  await clock.sleep(ms, signal);
  throw new Error(reason);
}
