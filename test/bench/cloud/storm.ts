/** What others wait while all devices connect at once to a cloud that was restarted, or was away: a part of the row `sockets`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { connectAtOnce } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import { EVERY_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';
import { startReader } from './start-reader.ts';
import type { Reader } from './start-reader.ts';

const DEVICES = 10_000;
const ROUNDS = 3;
/** A person does not notice a wait of a tenth of a second. */
const READ_GOAL_MS = 100;
/** A new connection waits behind those of the devices, which the system hands over in the order of their arrival. */
const NEW_CONNECTION_GOAL_MS = 3_000;
const EDIT_GOAL_MS = 100;
/** So long that the cloud takes all devices for offline. */
const AWAY_MS = 600_000;
const POLL_MS = 50;
/** The reader itself is no load. */
const READER = { readsBefore: 100, pauseMs: 5, isReconnecting: true };

const list = z.object({ data: z.array(z.unknown()) });

const seenBefore = async (db: Db): Promise<void> => {
  await sql`update device_live set last_seen = ${Date.now() - AWAY_MS}`.execute(db);
};

/** Times are in milliseconds. */
interface Storm {
  /** The longest wait of a reader, with a connection that stays open and with a new one for each read. */
  readMs: number;
  newConnectionReadMs: number;
  /** The longest wait of somebody who changes devices. */
  editMs: number;
  /** Until all are online. */
  onlineMs: number;
  /** Until the last device was let in. */
  allMs: number;
  /** The longest time in which none was let in. */
  longestPauseMs: number;
  /** Connections that were reset. */
  resets: number;
}

async function measureStorm(count: number, wasAway: boolean): Promise<Storm> {
  const fleet = await startFleet(count, wasAway ? seenBefore : undefined);
  const { cloud, devices, readKeys, writeKeys } = fleet;
  let reader: Reader | null = null;
  try {
    await deployPlaylist(cloud, EVERY_TAG);
    const edits = writeKeys.map((key, turn) => ({ id: devices[turn % devices.length]!.id, key }));
    reader = await startReader(fleet, { ...READER, edits });
    const beganMs = performance.now();
    const storm = await connectAtOnce(
      cloud.url,
      devices.map(({ token }) => token),
    );
    await untilAllOnline(cloud.url, readKeys);
    const onlineMs = performance.now() - beganMs;
    const waits = await reader.stop();
    storm.close();
    const { letInMs, resets } = storm;
    return {
      readMs: waits.keptMs,
      newConnectionReadMs: waits.newMs,
      editMs: waits.editMs,
      onlineMs,
      allMs: letInMs.at(-1)!,
      longestPauseMs: Math.max(...letInMs.map((ms, index) => ms - (letInMs[index - 1] ?? 0))),
      resets,
    };
  } finally {
    await reader?.terminate();
    await fleet.stop();
  }
}

/** With keys in turn, because each has a rate limit. */
async function untilAllOnline(url: string, keys: readonly string[]): Promise<void> {
  for (let turn = 0; ; turn++) {
    const response = await fetch(`${url}/v1/devices?status=offline&limit=1`, {
      headers: { authorization: `Bearer ${keys[turn % keys.length]}` },
    });
    if (list.parse(await response.json()).data.length === 0) {
      return;
    }
    await sleep(POLL_MS);
  }
}

/** The longest times of some rounds, each with a new cloud. */
export async function measureStorms(settings: Settings): Promise<Figure[]> {
  const count = settings.count(DEVICES);
  const [restarted, away]: [Storm[], Storm[]] = [[], []];
  for (let round = 0; round < settings.rounds(ROUNDS); round++) {
    restarted.push(await measureStorm(count, false));
    away.push(await measureStorm(count, true));
  }
  const longest = (
    name: string,
    storms: readonly Storm[],
    key: keyof Storm,
    goal: number | null = null,
  ): Figure => ({
    name,
    ours: most(storms, key),
    unit: 'ms',
    limit: null,
    goal,
  });
  const devices = `${count.toLocaleString('en')} devices`;
  return [
    {
      ...longest(`${devices} connect at once: until all are let in`, restarted, 'allMs'),
      detail: `${most(restarted, 'resets')} tried again after a reset`,
    },
    longest('… longest time in which none is', restarted, 'longestPauseMs'),
    longest('… longest wait of a reader', restarted, 'readMs', READ_GOAL_MS),
    longest(
      '… of one with a new connection for each read',
      restarted,
      'newConnectionReadMs',
      NEW_CONNECTION_GOAL_MS,
    ),
    longest('… of one who changes a device', restarted, 'editMs', EDIT_GOAL_MS),
    longest(`${devices} return after ten minutes without the cloud: until all are online`, away, 'onlineMs'),
    longest('… longest wait of a reader', away, 'readMs', READ_GOAL_MS),
    longest('… of one who changes a device', away, 'editMs', EDIT_GOAL_MS),
  ];
}

const most = (storms: readonly Storm[], key: keyof Storm): number =>
  Math.max(...storms.map((storm) => storm[key]));
