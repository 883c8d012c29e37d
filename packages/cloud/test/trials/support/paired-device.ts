import { operations } from '@placard/protocol/api';
import { assert } from './contract-violation.ts';
import type { Api } from './api.ts';

/** A paired device. */
export interface PairedDevice {
  deviceId: string;
  token: string;
}

export const pairingStartBody = (serial: string) => ({ serial, platform: 'linux', player_version: '0.1.0' });

/** Pairs a new device as a technician does. */
export async function pairDevice(
  api: Api,
  serial: string,
  fields: Readonly<Record<string, unknown>> = {},
  from?: string,
): Promise<PairedDevice> {
  const started = await api.expectSuccess(operations.startPairing, { body: pairingStartBody(serial), from });
  const device = await api.expectSuccess(operations.pairDevice, { body: { code: started.code, ...fields } });
  const response = await api.expectSuccess(operations.pollPairing, {
    params: { id: started.pairing_id },
    body: { poll_token: started.poll_token },
    from,
  });
  assert(
    'device_token' in response && response.device_id === device.id,
    'a confirmed player must get its token',
    response,
  );
  return { deviceId: response.device_id, token: response.device_token };
}

/** Builds one sample. */
export const buildSample = (measuredAtMs: number, cpu = 10) => ({
  measured_at: new Date(measuredAtMs).toISOString(),
  cpu_percent: cpu,
  memory_percent: 40,
  disk_percent: 20,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});

/** Builds the state in a heartbeat. */
export const buildReportedState = (applied: string | null = null) => ({
  player_version: '0.1.0',
  shell: 'headless',
  uptime_seconds: 60,
  applied_manifest_revision: applied,
  current: null,
  storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
  faults: [],
});

/** Builds one play; `id` starts with `play_`. */
export const buildPlay = (id: string, contentId: string, startedAtMs: number) => ({
  id,
  content_id: contentId,
  playlist_id: null,
  schedule_id: null,
  rule_id: null,
  started_at: new Date(startedAtMs).toISOString(),
  ended_at: new Date(startedAtMs + 10_000).toISOString(),
  duration_ms: 10_000,
  outcome: 'completed',
  reason: null,
});
