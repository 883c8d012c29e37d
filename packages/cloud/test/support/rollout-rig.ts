import type { Rollout } from '@placard/protocol/api';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { buildReportedState, pairDevice } from './paired-device.ts';
import type { PairedDevice } from './paired-device.ts';
import { startTestCloud } from './test-cloud.ts';
import type { TestCloud } from './test-cloud.ts';

export const HOUR_MS = 3_600_000;

export interface Screen extends PairedDevice {
  version: string;
  starts: number;
  faults: string[];
}

interface ToldEvent {
  type: string;
  data: { rollout: Rollout };
}

/** A cloud for each test of a file, and screens that rollouts update. */
export function rolloutRig() {
  vi.setConfig({ testTimeout: 180_000 });
  let cloud: TestCloud;
  beforeEach(async () => {
    cloud = await startTestCloud();
  });
  afterEach(() => cloud.close());

  /** Screens that report that they wait for their turn. */
  async function pairScreens(count: number, version = '1.3.0'): Promise<Screen[]> {
    const screens: Screen[] = [];
    for (let each = 0; each < count; each += 1) {
      screens.push({ ...(await pairDevice(cloud)), version, starts: 1, faults: [] });
      await beat(screens.at(-1)!);
    }
    return screens;
  }

  const beat = (screen: Screen) =>
    screen.client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({
        player_version: screen.version,
        shell: 'chromium',
        starts: { count: screen.starts, first_picture_ms: 2000 },
        faults: screen.faults.map((code) => ({ code, since: new Date(cloud.clock.nowMs()).toISOString() })),
      }),
    });

  const rolloutOf = async (id: string) => (await cloud.admin.get(`/v1/rollouts/${id}`)).data;
  const devicesOf = async (id: string, query = '') =>
    (await cloud.admin.get(`/v1/rollouts/${id}/devices?limit=100${query}`)).data;

  const eventsOf = async (id: string): Promise<ToldEvent[]> =>
    (await cloud.admin.get(`/v1/events?resource=${id}&limit=100`)).data;
  /** What was told of how far it is. */
  const progressOf = async (id: string) =>
    (await eventsOf(id)).filter(({ type }) => type === 'rollout.progress').map(({ data }) => data.rollout);

  /** Hours in which the screens are heard of, and the job runs. */
  async function pass(hours: number, screens: readonly Screen[]): Promise<void> {
    for (let hour = 0; hour < hours; hour += 1) {
      cloud.clock.advance(HOUR_MS);
      for (const screen of screens) {
        await beat(screen);
      }
      await runJob();
    }
  }

  /** Until the job has run since the call: it begins after the one that may be running now has ended. */
  async function runJob(): Promise<void> {
    for (let runs = 0; runs < 3; runs += 1) {
      cloud.clock.advance(20_000);
      await cloud.admin.get('/v1/rollouts?limit=1');
    }
  }

  /** Lets the job run until the condition is met. */
  const until = (check: () => Promise<void>) =>
    eventually(async () => {
      cloud.clock.advance(20_000);
      await check();
    }, 60_000);

  const createRollout = async (body: object = {}) => {
    const { status, data } = await cloud.admin.post('/v1/rollouts', { version: '1.4.0', ...body });
    expect(status).toBe(202);
    return data;
  };

  /** The devices that were told. */
  const told = async (id: string) =>
    (await devicesOf(id)).filter(({ status }: { status: string }) => status !== 'waiting');

  /** The screen installs the version that it was told to. */
  async function update(screen: Screen, command: string, version = '1.4.0'): Promise<void> {
    const path = `/v1/player/commands/${command}/status`;
    await screen.client.post(path, { status: 'acknowledged' });
    await screen.client.post(path, {
      status: 'succeeded',
      result: { outcome: 'confirmed', from: screen.version, to: version, code: null },
    });
    screen.version = version;
    screen.starts += 1;
    await beat(screen);
  }

  return {
    get cloud() {
      return cloud;
    },
    pairScreens,
    beat,
    rolloutOf,
    devicesOf,
    eventsOf,
    progressOf,
    pass,
    runJob,
    until,
    createRollout,
    told,
    update,
  };
}
