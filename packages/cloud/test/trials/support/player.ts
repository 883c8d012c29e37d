import { operations } from '@placard/protocol/api';
import { must } from './breach.ts';
import type { Api } from './api.ts';

/** A screen as the cloud knows it. */
export interface PairedScreen {
  deviceId: string;
  token: string;
}

export const startBody = (serial: string) => ({ serial, platform: 'linux', player_version: '0.1.0' });

/** Pairs a new screen the way a technician does. */
export async function pairScreen(
  api: Api,
  serial: string,
  fields: Readonly<Record<string, unknown>> = {},
  from?: string,
): Promise<PairedScreen> {
  const started = await api.get(operations.startPairing, { body: startBody(serial), from });
  const device = await api.get(operations.pairDevice, { body: { code: started.code, ...fields } });
  const answer = await api.get(operations.pollPairing, {
    params: { id: started.pairing_id },
    body: { poll_token: started.poll_token },
    from,
  });
  must(
    'device_token' in answer && answer.device_id === device.id,
    'a confirmed screen gets its token',
    answer,
  );
  return { deviceId: answer.device_id, token: answer.device_token };
}

/** One reading of the sensors. */
export const sample = (measuredAtMs: number, cpu = 10) => ({
  measured_at: new Date(measuredAtMs).toISOString(),
  cpu_percent: cpu,
  memory_percent: 40,
  disk_percent: 20,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});

/** What a screen tells about itself. */
export const state = (applied: string | null = null) => ({
  player_version: '0.1.0',
  shell: 'headless',
  uptime_seconds: 60,
  applied_manifest_revision: applied,
  current: null,
  storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
  faults: [],
});

/** One showing; `id` begins with `play_`. */
export const play = (id: string, contentId: string, startedAtMs: number) => ({
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
