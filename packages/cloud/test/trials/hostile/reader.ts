import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/chance.ts';
import type { SteadyLine } from './steady-line.ts';

export interface ReaderDeps {
  line: SteadyLine;
  /** A Read key. */
  key: string;
  chance: Chance;
  /** Milliseconds between two requests; 100 a minute is what the key allows. */
  everyMs: number;
  deviceIds: readonly string[];
  contentId: string;
  playlistId: string;
  scheduleId: string;
}

/** Somebody's dashboard: lists, details, and what screens show, by turns. */
export async function readSteadily(deps: ReaderDeps, signal: AbortSignal): Promise<void> {
  const { line, key, chance, everyMs, deviceIds, contentId, playlistId, scheduleId } = deps;
  const device = () => chance.pick(deviceIds);
  const turns: [string, () => string][] = [
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
    const [kind, path] = turns[n % turns.length]!;
    await line.ask(kind, { method: 'GET', path: path(), key });
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}
