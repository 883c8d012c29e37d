import type { ApiClient, Reply } from './client.ts';
import type { TestCloud } from './test-cloud.ts';

/** What pairing needs of a cloud. */
type PairingCloud = Pick<TestCloud, 'admin' | 'clientFor'>;

export interface PairedDevice {
  deviceId: string;
  token: string;
  /** Client with the device token. */
  client: ApiClient;
}

let serials = 0;

/** Starts a pairing session as a new player does. */
export async function startPairing(
  cloud: Pick<TestCloud, 'clientFor'>,
  serial = `SN-${++serials}`,
): Promise<Reply> {
  return cloud
    .clientFor(null)
    .post('/v1/player/pairing', { serial, platform: 'linux', player_version: '0.1.0', type: 'pc' });
}

/** Pairs a new device. */
export async function pairDevice(
  cloud: PairingCloud,
  fields: Record<string, unknown> = {},
): Promise<PairedDevice> {
  const { data: session } = await startPairing(cloud);
  const paired = await cloud.admin.post('/v1/devices/pair', { code: session.code, ...fields });
  const { data } = await cloud.clientFor(null).post(`/v1/player/pairing/${session.pairing_id}/token`, {
    poll_token: session.poll_token,
  });
  return { deviceId: paired.data.id, token: data.device_token, client: cloud.clientFor(data.device_token) };
}

export const buildSample = (measuredAt: string, overrides: Record<string, number | null> = {}) => ({
  measured_at: measuredAt,
  cpu_percent: 10,
  memory_percent: 20,
  disk_percent: 30,
  temperature_celsius: null,
  wifi_signal_dbm: -50,
  ...overrides,
});

export const buildReportedState = (overrides: Record<string, unknown> = {}) => ({
  player_version: '0.1.0',
  shell: 'headless',
  uptime_seconds: 60,
  applied_manifest_revision: null,
  current: null,
  storage: { cache_bytes: 0, free_bytes: 1_000_000, assets_held: 0, assets_missing: 0 },
  faults: [],
  ...overrides,
});

const iso = (ms: number) => new Date(ms).toISOString();

/** A play as a player reports it; its id is derived from the number. */
export const buildPlay = (
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
