import type { Client, Reply } from './client.ts';
import type { TestCloud } from './cloud.ts';

export interface Screen {
  deviceId: string;
  token: string;
  /** Calls with the device token. */
  api: Client;
}

let serials = 0;

/** Starts a pairing session as a new screen does. */
export async function startPairing(test: TestCloud, serial = `SN-${++serials}`): Promise<Reply> {
  return test
    .as(null)
    .post('/v1/player/pairing', { serial, platform: 'linux', player_version: '0.1.0', type: 'pc' });
}

/** A screen that an operator has paired. */
export async function pairScreen(test: TestCloud, about: Record<string, unknown> = {}): Promise<Screen> {
  const { data: session } = await startPairing(test);
  const paired = await test.admin.post('/v1/devices/pair', { code: session.code, ...about });
  const { data } = await test.as(null).post(`/v1/player/pairing/${session.pairing_id}/token`, {
    poll_token: session.poll_token,
  });
  return { deviceId: paired.data.id, token: data.device_token, api: test.as(data.device_token) };
}

export const sample = (measuredAt: string, more: Record<string, number | null> = {}) => ({
  measured_at: measuredAt,
  cpu_percent: 10,
  memory_percent: 20,
  disk_percent: 30,
  temperature_celsius: null,
  wifi_signal_dbm: -50,
  ...more,
});

export const state = (more: Record<string, unknown> = {}) => ({
  player_version: '0.1.0',
  shell: 'headless',
  uptime_seconds: 60,
  applied_manifest_revision: null,
  current: null,
  storage: { cache_bytes: 0, free_bytes: 1_000_000, assets_held: 0, assets_missing: 0 },
  faults: [],
  ...more,
});

const iso = (ms: number) => new Date(ms).toISOString();

/** A play as a screen reports it; its number makes its id. */
export const playAt = (
  id: number,
  startedMs: number,
  durationMs: number,
  endedMs = startedMs + durationMs,
) => ({
  id: `play_clock0000000${id}`,
  content_id: 'asset_clock',
  playlist_id: null,
  schedule_id: null,
  rule_id: null,
  started_at: iso(startedMs),
  ended_at: iso(endedMs),
  duration_ms: durationMs,
  outcome: 'completed',
  reason: null,
});
