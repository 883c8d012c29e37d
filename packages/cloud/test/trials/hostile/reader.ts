import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { MeasuredClient } from './measured-client.ts';

export interface ReaderDeps {
  client: MeasuredClient;
  /** A Read key. */
  key: string;
  random: SeededRandom;
  /** Interval of requests, milliseconds; the key allows 100 a minute. */
  everyMs: number;
  deviceIds: readonly string[];
  contentId: string;
  playlistId: string;
  scheduleId: string;
}

/** Simulates a dashboard: requests lists, details and active schedules in turn. */
export async function runReader(deps: ReaderDeps, signal: AbortSignal): Promise<void> {
  const { client, key, random, everyMs, deviceIds, contentId, playlistId, scheduleId } = deps;
  const device = () => random.pick(deviceIds);
  const requests: [string, () => string][] = [
    ['GET devices', () => '/v1/devices?limit=50'],
    ['GET device', () => `/v1/devices/${device()}`],
    ['GET active-schedule', () => `/v1/devices/${device()}/active-schedule`],
    ['GET content', () => '/v1/content?limit=50'],
    ['GET content item', () => `/v1/content/${contentId}`],
    ['GET active-schedule', () => `/v1/devices/${device()}/active-schedule`],
    ['GET playlists', () => '/v1/playlists'],
    ['GET playlist', () => `/v1/playlists/${playlistId}`],
    ['GET schedules', () => '/v1/schedules'],
    ['GET schedule', () => `/v1/schedules/${scheduleId}`],
    ['GET heartbeats', () => `/v1/devices/${device()}/heartbeats`],
    ['GET analytics', () => '/v1/analytics'],
  ];
  for (let n = 0; !signal.aborted; n++) {
    const [kind, path] = requests[n % requests.length]!;
    await client.send(kind, { method: 'GET', path: path(), key });
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}
