/** What it costs to ask what a change would do to very many screens, and what others wait meanwhile. `npm run bench:dry-run`. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { createCloudApi } from '../../../scripts/start/cloud-api.ts';
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { EVERY_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';

const DEVICES = 10_000;
/** Each with a schedule of ten rules, and so a class of devices. */
const STORES = 100;
const RULES_PER_STORE = 10;
const DRY_RUNS = 5;
const GOAL_MS = 1_000;

const withId = z.object({ id: z.string() });
const answer = z.object({ dry_run: z.object({ device_count: z.int(), unexamined_device_count: z.int() }) });

/** Distributes the devices over stores. */
async function addStores(db: Db, deviceIds: readonly string[], count: number): Promise<string[]> {
  const stores = Array.from({ length: count }, (_, index) => `store_bench${index}`);
  const nowMs = Date.now();
  await db.transaction().execute(async (trx) => {
    for (const [index, id] of stores.entries()) {
      await trx
        .insertInto('stores')
        .values({ id, name: `Store ${index}`, tags: '[]', created_at: nowMs, updated_at: nowMs })
        .execute();
    }
    for (const [index, id] of deviceIds.entries()) {
      await trx
        .updateTable('devices')
        .set({ store_id: stores[index % count]! })
        .where('id', '=', id)
        .execute();
    }
  });
  return stores;
}

const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const window = (playlist_id: string, hour: number, priority = 0) => ({
  playlist_id,
  start_time: `${String(hour).padStart(2, '0')}:00`,
  end_time: `${String(hour).padStart(2, '0')}:45`,
  days: EVERY_DAY,
  priority,
});

type Ask = (key: string, round: number) => Promise<unknown>;

/** How long a dry run takes that concerns all devices, in milliseconds. */
async function timeDryRun(fleet: Fleet, round: number, ask: Ask): Promise<number> {
  const beganMs = performance.now();
  const { dry_run } = answer.parse(await ask(fleet.writeKeys[round % fleet.writeKeys.length]!, round));
  const ms = performance.now() - beganMs;
  if (dry_run.device_count !== fleet.devices.length || dry_run.unexamined_device_count !== 0) {
    throw new Error(`not all devices were compared: ${JSON.stringify(dry_run).slice(0, 200)}`);
  }
  return ms;
}

/** The longest wait of somebody who reads while a dry run is made, in milliseconds. */
async function timeReads(fleet: Fleet, dryRun: Promise<unknown>): Promise<number> {
  const state = { isRunning: true };
  const end = dryRun.finally(() => (state.isRunning = false));
  let slowestMs = 0;
  for (let turn = 0; state.isRunning; turn++) {
    const { id } = fleet.devices[turn % fleet.devices.length]!;
    const beganMs = performance.now();
    const response = await fetch(`${fleet.cloud.url}/v1/devices/${id}`, {
      headers: { authorization: `Bearer ${fleet.readKeys[turn % fleet.readKeys.length]!}` },
    });
    await response.text();
    slowestMs = Math.max(slowestMs, performance.now() - beganMs);
    await setImmediate();
  }
  await end;
  return slowestMs;
}

async function timeDryRuns(fleet: Fleet, rounds: number, ask: Ask) {
  const times: number[] = [];
  const waits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(await timeDryRun(fleet, round, ask));
    waits.push(await timeReads(fleet, timeDryRun(fleet, round, ask)));
  }
  return { ms: median(times), slowestReadMs: median(waits) };
}

export async function measureDryRun(settings: Settings): Promise<Figure[]> {
  let stores: string[] = [];
  const fleet = await startFleet(settings.count(DEVICES), async (db, devices) => {
    stores = await addStores(
      db,
      devices.map(({ id }) => id),
      Math.max(1, settings.count(STORES)),
    );
  });
  const rounds = settings.rounds(DRY_RUNS);
  const { cloud } = fleet;
  const apiOf = (key: string) => createCloudApi(cloud.url, key);
  let posts = 0;
  // Each key has a rate limit.
  const post = (path: string, body: object) =>
    apiOf(fleet.writeKeys[posts++ % fleet.writeKeys.length]!).post(withId, path, body);
  try {
    const [usual, special] = [
      await post('/v1/playlists', { name: 'Usual' }),
      await post('/v1/playlists', { name: 'Special' }),
    ];
    for (const [index, id] of stores.entries()) {
      await post('/v1/schedules', {
        name: `Of store ${index}`,
        rules: Array.from({ length: RULES_PER_STORE }, (_, hour) => window(usual.id, 8 + hour)),
        targets: [{ type: 'store', id }],
      });
    }
    const newSchedule = (round: number) => ({
      name: 'For all',
      rules: [window(special.id, 9, 1 + round), window(special.id, 12, 1 + round)],
      targets: [{ type: 'tag', value: EVERY_TAG }],
    });
    const byStore = await timeDryRuns(fleet, rounds, (key, round) =>
      apiOf(key).post(z.unknown(), '/v1/schedules?dry_run=true', newSchedule(round)),
    );
    // Each device has a deployment of its own: then no two of them are reached alike.
    for (let at = 0; at < fleet.devices.length; at += 1000) {
      await post(`/v1/playlists/${usual.id}/deploy`, {
        targets: fleet.devices.slice(at, at + 1000).map(({ id }) => ({ type: 'device', id })),
      });
    }
    const oneByOne = await timeDryRuns(fleet, rounds, (key, round) =>
      apiOf(key).post(z.unknown(), '/v1/schedules?dry_run=true', newSchedule(round)),
    );
    const count = fleet.devices.length.toLocaleString('en');
    return [
      within(`dry run of a schedule for ${count} devices`, byStore.ms, GOAL_MS, `${stores.length} stores`),
      within('… longest wait of another request', byStore.slowestReadMs, 30),
      within('… each device reached in a way of its own', oneByOne.ms, GOAL_MS, 'a class for each'),
      within('… longest wait of another request', oneByOne.slowestReadMs, 30),
    ];
  } finally {
    await fleet.stop();
  }
}

const within = (name: string, ours: number, goal: number, detail?: string): Figure => ({
  name,
  ours,
  unit: 'ms',
  limit: null,
  goal,
  ...(detail !== undefined && { detail }),
});
