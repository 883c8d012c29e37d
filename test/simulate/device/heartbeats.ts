import type { HeartbeatRequest, HeartbeatResponse, HeartbeatSample } from '@placard/protocol';
import { Fault } from '@placard/protocol';
import type { SocketHeartbeats } from '../../../src/adapters/cloud-link/socket-heartbeats.ts';
import { jitteredIntervalMs } from '../../../src/core/backoff.ts';
import type { DeviceContext } from './context.ts';
import { PLAYER_VERSION } from '../player-version.ts';

const USUAL_INTERVAL_MS = 60_000;
/** As a player does. */
const SAMPLE_BATCH_SIZE = 500;
const MAX_STORED_SAMPLES = 10_080;
const PATH = '/v1/player/heartbeats';

export interface HeartbeatLoopDeps {
  device: DeviceContext;
  /** When it was switched on, by the monotonic clock. */
  startedMonoMs: number;
  /** Of the open socket. */
  socketHeartbeats(): SocketHeartbeats | null;
  onResponse(response: HeartbeatResponse): void;
}

/** Sends a heartbeat at each interval: over the socket, and by HTTP when it is not acknowledged there. */
export async function runHeartbeats(deps: HeartbeatLoopDeps, signal: AbortSignal): Promise<void> {
  const { device } = deps;
  const { clock, disk, settings, figures } = device;
  let intervalMs = settings.heartbeatMs ?? USUAL_INTERVAL_MS;
  let notBeforeMonoMs = 0;

  /** The answer; null when the device has been removed. */
  async function exchange(request: HeartbeatRequest): Promise<HeartbeatResponse | null> {
    const beganMs = clock.monoMs();
    const answer = await deps.socketHeartbeats()?.send(request, signal);
    if (answer) {
      figures.time('heartbeat_socket', clock.monoMs() - beganMs);
      return answer;
    }
    signal.throwIfAborted();
    await device.beforeRequest(PATH, request, signal);
    const response = await device.link.sendHeartbeat(request, signal);
    if (response.kind === 'unpaired') {
      return null;
    }
    figures.time('heartbeat_http', clock.monoMs() - beganMs);
    return response.response;
  }

  /** Sends stored samples with this one, and those that are left, until none is. */
  async function send(measuredAtMs: number | null): Promise<void> {
    const stored = disk.samples.slice(0, SAMPLE_BATCH_SIZE);
    const times = measuredAtMs === null ? stored : [...stored, measuredAtMs];
    device.ledger.write(['sending', device.number, times]);
    try {
      const state = reportedState(device, clock.monoMs() - deps.startedMonoMs);
      const response = await exchange({ samples: times.map(sampleAt), state });
      if (!response) {
        return device.onUnpaired();
      }
      device.ledger.write(['samples', device.number, times]);
      figures.count('samples', times.length);
      disk.samples.splice(0, stored.length);
      intervalMs = settings.heartbeatMs ?? response.next_heartbeat_in * 1_000;
      deps.onResponse(response);
    } catch (error) {
      if (measuredAtMs !== null) {
        disk.samples.push(measuredAtMs);
        disk.samples.splice(0, disk.samples.length - MAX_STORED_SAMPLES);
      }
      if (signal.aborted) {
        return;
      }
      device.failed('heartbeat', error);
      if (error instanceof Fault && typeof error.retry === 'object') {
        notBeforeMonoMs = clock.monoMs() + error.retry.afterMs;
      }
      return;
    }
    if (stored.length === SAMPLE_BATCH_SIZE && !signal.aborted) {
      await send(null);
    }
  }

  while (!signal.aborted) {
    const measuredAtMs = device.wallMs();
    if (clock.monoMs() >= notBeforeMonoMs) {
      await send(measuredAtMs);
    } else {
      disk.samples.push(measuredAtMs);
    }
    await clock.sleep(jitteredIntervalMs(intervalMs, device.random.next()), signal);
  }
}

/** The sample of an instant: sent again, it has the same values. */
function sampleAt(atMs: number): HeartbeatSample {
  const turn = Math.floor(atMs / 1_000);
  return {
    measured_at: new Date(atMs).toISOString(),
    cpu_percent: 5 + (turn % 40),
    memory_percent: 30 + (turn % 7),
    disk_percent: 41.5,
    temperature_celsius: 45 + (turn % 11),
    wifi_signal_dbm: -50 - (turn % 13),
  };
}

function reportedState({ disk }: DeviceContext, uptimeMs: number): HeartbeatRequest['state'] {
  const item = disk.items[Math.floor(uptimeMs / USUAL_INTERVAL_MS) % Math.max(1, disk.items.length)];
  return {
    player_version: PLAYER_VERSION,
    shell: 'simulated',
    uptime_seconds: Math.round(uptimeMs / 1_000),
    applied_manifest_revision: disk.revision,
    current:
      item && disk.playlistId !== null
        ? {
            playlist_id: disk.playlistId,
            item_id: item.id,
            content_id: item.contentId,
            since: new Date(Math.floor(Date.now() / USUAL_INTERVAL_MS) * USUAL_INTERVAL_MS).toISOString(),
          }
        : null,
    storage: { cache_bytes: 0, free_bytes: 8_000_000_000, assets_held: disk.media.size, assets_missing: 0 },
    faults: [],
  };
}
