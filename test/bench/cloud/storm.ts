/** What others wait while all devices connect at once to a cloud that has just started: a part of the row `sockets`. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { connectAtOnce } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import { EVERY_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';
import type { Reads, Waits } from './reader.ts';

const DEVICES = 10_000;
const ROUNDS = 3;
/** What nobody notices. */
const READ_GOAL_MS = 100;
/** A new connection waits behind those of the devices, which the system hands over in the order of their arrival. */
const NEW_CONNECTION_GOAL_MS = 2_000;

/** Times are in milliseconds. */
interface Storm {
  /** The longest wait of a reader, with a connection that stays open and with a new one for each read. */
  readMs: number;
  newConnectionReadMs: number;
  /** Until the last device was let in. */
  allMs: number;
  /** The longest time in which none was let in. */
  longestPauseMs: number;
  /** Connections that were reset. */
  resets: number;
}

/** The reader is a thread, so that it does not wait for the devices of this one. */
async function measureStorm(count: number): Promise<Storm> {
  const fleet = await startFleet(count);
  const { cloud, devices, readKeys } = fleet;
  let reader: Worker | null = null;
  try {
    await deployPlaylist(cloud, EVERY_TAG);
    const reads = readKeys.map((key, turn) => ({ id: devices[turn % devices.length]!.id, key }));
    reader = new Worker(new URL('./reader.ts', import.meta.url), {
      workerData: { url: cloud.url, reads } satisfies Reads,
    });
    await once(reader, 'message');
    const read: Promise<Waits[]> = once(reader, 'message');
    // Reported when all are connected.
    read.catch(() => {});
    const storm = await connectAtOnce(
      cloud.url,
      devices.map(({ token }) => token),
    );
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    reader.postMessage('stop');
    const [waits] = await read;
    storm.close();
    const { letInMs, resets } = storm;
    return {
      readMs: waits!.keptMs,
      newConnectionReadMs: waits!.newMs,
      allMs: letInMs.at(-1)!,
      longestPauseMs: Math.max(...letInMs.map((ms, index) => ms - (letInMs[index - 1] ?? 0))),
      resets,
    };
  } finally {
    await reader?.terminate();
    await fleet.stop();
  }
}

/** The longest times of some rounds, each with a new cloud. */
export async function measureStorms(settings: Settings): Promise<Figure[]> {
  const count = settings.count(DEVICES);
  const storms: Storm[] = [];
  for (let round = 0; round < settings.rounds(ROUNDS); round++) {
    storms.push(await measureStorm(count));
  }
  const most = (key: keyof Storm) => Math.max(...storms.map((storm) => storm[key]));
  const longest = (name: string, key: keyof Storm, goal: number | null): Figure => ({
    name,
    ours: most(key),
    unit: 'ms',
    limit: null,
    goal,
  });
  return [
    {
      ...longest(
        `${count.toLocaleString('en')} devices connect at once: until all are let in`,
        'allMs',
        null,
      ),
      detail: `${most('resets')} tried again after a reset`,
    },
    longest('… longest time in which none is', 'longestPauseMs', null),
    longest('… longest wait of a reader', 'readMs', READ_GOAL_MS),
    longest('… of one with a new connection for each read', 'newConnectionReadMs', NEW_CONNECTION_GOAL_MS),
  ];
}
