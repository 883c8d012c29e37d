import { Fault } from '@placard/protocol';
import type { PushedMessage } from '@placard/protocol';
import { createSeededRandom } from '../../support/seeded-random.ts';
import type { SimulationClock } from '../clock.ts';
import type { FleetDevice } from '../fleet/fleet-file.ts';
import type { LedgerFile } from '../ledger/ledger-file.ts';
import { mix } from '../pattern.ts';
import type { DevicePattern, Disturbance } from '../pattern.ts';
import type { Figures } from '../report/figures.ts';
import { createCommands } from './commands.ts';
import type { DeviceContext } from './context.ts';
import { sendCutRequest } from './cut-request.ts';
import type { Cut } from './cut-request.ts';
import { emptyDisk } from './disk.ts';
import { runHeartbeats } from './heartbeats.ts';
import { createManifests } from './manifests.ts';
import { createPlay, runPlays } from './plays.ts';
import type { Server } from './servers.ts';
import type { DeviceSettings } from './settings.ts';
import { createDeviceSocket } from './socket.ts';
import type { DeviceSocket } from './socket.ts';

export interface SimulatedDeviceDeps {
  identity: FleetDevice;
  /** The first one is that of the device number, modulo their number. */
  servers: readonly Server[];
  localAddress: string | undefined;
  clock: SimulationClock;
  settings: DeviceSettings;
  hasSocket: boolean;
  pattern: DevicePattern;
  seed: number;
  /** When it is switched on, from now. */
  startAfterMs: number;
  ledger: LedgerFile;
  figures: Figures;
  /** The cloud has removed it: it ends. */
  onUnpaired(number: number): void;
}

export interface SimulatedDevice {
  readonly isConnected: boolean;
  /** Resolves when it has been stopped, or removed by the cloud. */
  run(): Promise<void>;
  /** Switches it off; its socket is closed properly. */
  stop(): void;
  /** Called every few seconds. */
  endSilentSocket(): void;
}

const OFFLINE_SAMPLE_MS = 60_000;
/** How long an application takes to start again. */
const RESTART_MS = 2_000;

/** A player without a screen: it speaks to the cloud like one. */
export function createSimulatedDevice(deps: SimulatedDeviceDeps): SimulatedDevice {
  const { identity, servers, clock, figures, ledger, pattern, settings } = deps;
  const { number, token } = identity;
  /** Of the current run, or while it is off. */
  let power = new AbortController();
  let isStopped = false;
  const disk = emptyDisk();
  let serverIndex = number % servers.length;
  let link = servers[serverIndex]!.link.createDeviceLink(token);
  let clockOffsetMs = pattern.clockOffsetMs;
  let cut: Cut | null = null;
  let bootCount = 0;
  let socket: DeviceSocket | null = null;

  const device: DeviceContext = {
    number,
    token,
    clock,
    random: createSeededRandom(mix(deps.seed + 1, number)),
    settings,
    ledger,
    figures,
    disk,
    wallMs: () => clock.wallMs() + clockOffsetMs,
    get server() {
      return servers[serverIndex]!;
    },
    get link() {
      return link;
    },
    moveOn() {
      if (servers.length > 1) {
        serverIndex = (serverIndex + 1) % servers.length;
        link = servers[serverIndex]!.link.createDeviceLink(token);
        figures.count('moves');
      }
    },
    async beforeRequest(path, body, signal) {
      if (cut === null) {
        return;
      }
      const kind = cut;
      cut = null;
      await sendCutRequest({ url: servers[serverIndex]!.url, path, token, body, cut: kind }, signal);
      throw new Fault('cloud.unreachable', 'later', { disturbance: kind });
    },
    failed(what, error) {
      if (!(error instanceof Fault)) {
        throw error;
      }
      const { disturbance, status, reason } = error.details;
      if (disturbance !== undefined) {
        return;
      }
      const detail = status ?? reason;
      figures.error(`${what} ${error.code}${detail === undefined ? '' : ` ${JSON.stringify(detail)}`}`);
      if (error.code === 'cloud.unreachable' || status === 503) {
        device.moveOn();
      }
    },
    onUnpaired() {
      if (!isStopped) {
        ledger.write(['unpaired', number]);
        stop();
        deps.onUnpaired(number);
      }
    },
  };

  function stop(): void {
    isStopped = true;
    power.abort();
  }

  /** What it did while it was offline, before it was switched on. */
  function rememberOfflineTime(): void {
    const nowMs = device.wallMs();
    for (let ago = pattern.offlineMs; ago > 0; ago -= OFFLINE_SAMPLE_MS) {
      disk.samples.push(nowMs - ago);
    }
    const plays = settings.playMs > 0 ? Math.floor(pattern.offlineMs / settings.playMs) : 0;
    for (let left = plays; left > 0; left--) {
      disk.plays.push(createPlay(nowMs - left * settings.playMs));
    }
  }

  /** One run, from power on to power off; returns how long it stays off. */
  async function runOnce(): Promise<number> {
    power = new AbortController();
    const { signal } = power;
    const startedMonoMs = clock.monoMs();
    bootCount += 1;
    let offMs = RESTART_MS;
    const manifests = createManifests(device);
    const commands = createCommands({
      device,
      run: { bootId: `${bootCount}`, launchId: `${bootCount}`, uptimeMs: clock.monoMs() },
      refresh: manifests.refresh,
      restart: () => power.abort(),
    });
    const failed = Promise.withResolvers<never>();
    const start = (task: Promise<unknown>) => task.catch((error: unknown) => failed.reject(error));

    const onMessage = (message: PushedMessage) => {
      switch (message.type) {
        case 'welcome':
          void start(manifests.onRevision(message.manifest_revision, signal));
          break;
        case 'manifest_changed':
          void start(manifests.onRevision(message.revision, signal));
          break;
        case 'command':
          void start(commands.accept([message.command], signal));
          break;
        case 'unpaired':
          device.onUnpaired();
          break;
        // It has no screen, so who looks at it gets no answer.
        case 'live_request':
          break;
      }
    };
    socket = createDeviceSocket(device, { localAddress: deps.localAddress, onMessage });
    const closeSocket = () => (isStopped ? socket?.close() : socket?.cut());
    signal.addEventListener('abort', closeSocket, { once: true });

    async function disturb(): Promise<void> {
      while (!signal.aborted) {
        const { afterMs, disturbance } = pattern.next();
        await clock.sleep(afterMs, signal);
        if (!signal.aborted) {
          figures.disturbed(disturbance.kind);
          apply(disturbance);
        }
      }
    }
    function apply(disturbance: Disturbance): void {
      switch (disturbance.kind) {
        case 'reboot':
          ({ offMs } = disturbance);
          power.abort();
          break;
        case 'line_cut':
          socket?.cut();
          break;
        case 'body_cut':
        case 'answer_lost':
          cut = disturbance.kind;
          break;
        case 'clock':
          clockOffsetMs = disturbance.offsetMs;
          break;
      }
    }

    const loops = Promise.all([
      runHeartbeats(
        {
          device,
          startedMonoMs,
          socketHeartbeats: () => socket?.heartbeats ?? null,
          onResponse: (response) => {
            void start(manifests.onRevision(response.manifest_revision, signal));
            void start(commands.accept(response.commands, signal));
          },
        },
        signal,
      ),
      runPlays(device, signal),
      commands.wake(signal),
      ...(deps.hasSocket ? [socket.run(signal)] : []),
      disturb(),
    ]);
    await Promise.race([loops, failed.promise]);
    return offMs;
  }

  return {
    get isConnected() {
      return socket?.isConnected ?? false;
    },
    async run() {
      ledger.write(['device', number, identity.id]);
      await clock.sleep(deps.startAfterMs, power.signal);
      if (!isStopped) {
        rememberOfflineTime();
      }
      // oxlint-disable-next-line no-unmodified-loop-condition -- `stop` modifies it
      while (!isStopped) {
        const offMs = await runOnce();
        if (!isStopped) {
          power = new AbortController();
          await clock.sleep(offMs, power.signal);
        }
      }
    },
    stop,
    endSilentSocket: () => socket?.endIfSilent(),
  };
}
