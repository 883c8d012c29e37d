/**
 * What an edit of a playlist costs that very many devices show, or a hundred of very many, and what others wait meanwhile.
 * `npm run bench:edit`.
 */
import { setImmediate } from 'node:timers/promises';
import { median } from '../median.ts';
import { connectDevices, untilAllReceived } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { EVERY_TAG, HUNDRED_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';

/** Of which all show the edited playlist. */
const ALL_DEVICES = 50_000;
/** Of which a hundred show it. */
const MANY_DEVICES = 100_000;
const CONNECTED = 5_000;
const EDITS = 5;

interface Edits {
  devices: number;
  /** Connected devices that show the playlist. */
  told: number;
  /** Medians, in milliseconds. */
  acknowledgedMs: number;
  toldMs: number;
  slowestReadMs: number;
  addedBytes: number;
}

/** How long it takes, in milliseconds. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await run();
  return performance.now() - beganMs;
}

/** Reads one device after the other, with keys in turn. Stopped, it resolves with the longest wait in milliseconds. */
function startReading({ cloud, devices, readKeys }: Fleet) {
  const stopping = new AbortController();
  const reading = (async () => {
    let slowestMs = 0;
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const { id } = devices[turn % devices.length]!;
      const headers = { authorization: `Bearer ${readKeys[turn % readKeys.length]!}` };
      const beganMs = performance.now();
      const response = await fetch(`${cloud.url}/v1/devices/${id}`, { headers });
      await response.text();
      if (!response.ok) {
        throw new Error(`reading a device: ${response.status}`);
      }
      slowestMs = Math.max(slowestMs, performance.now() - beganMs);
      await setImmediate();
    }
    return slowestMs;
  })();
  // Reported when it is stopped.
  reading.catch(() => {});
  return {
    stop() {
      stopping.abort();
      return reading;
    },
  };
}

/** Edits a playlist that all of the devices show, or a hundred of them while the others show another one. */
async function measureEdits(
  settings: Settings,
  { devices, tag }: { devices: number; tag: typeof EVERY_TAG | typeof HUNDRED_TAG },
): Promise<Edits> {
  const fleet = await startFleet(settings.count(devices));
  try {
    const { cloud, writeKeys } = fleet;
    const editEvery = await deployPlaylist(cloud, EVERY_TAG);
    const edit = tag === EVERY_TAG ? editEvery : await deployPlaylist(cloud, tag);
    const tokens = fleet.devices.slice(0, Math.max(100, settings.count(CONNECTED))).map(({ token }) => token);
    const showing = await connectDevices(cloud.url, tag === EVERY_TAG ? tokens : tokens.slice(0, 100));
    const others = await connectDevices(cloud.url, tokens.slice(showing.sockets.length));
    const restBytes = cloud.rssBytes() ?? Number.NaN;
    cloud.resetPeak();
    const reader = startReading(fleet);
    const acknowledgedMs: number[] = [];
    const toldMs: number[] = [];
    for (let round = 0; round < settings.rounds(EDITS); round++) {
      const told = untilAllReceived(showing.sockets);
      // Each key has a rate limit.
      acknowledgedMs.push(await timeOf(() => edit(11 + round, writeKeys[round % writeKeys.length])));
      toldMs.push(await told);
    }
    const slowestReadMs = await reader.stop();
    const addedBytes = (cloud.peakRssBytes() ?? Number.NaN) - restBytes;
    showing.close();
    others.close();
    return {
      devices: fleet.devices.length,
      told: showing.sockets.length,
      acknowledgedMs: median(acknowledgedMs),
      toldMs: median(toldMs),
      slowestReadMs,
      addedBytes,
    };
  } finally {
    await fleet.stop();
  }
}

const within = (name: string, ours: number, unit: string, goal: number | null): Figure => ({
  name,
  ours,
  unit,
  limit: null,
  goal,
});

export async function measureEdit(settings: Settings): Promise<Figure[]> {
  const all = await measureEdits(settings, { devices: ALL_DEVICES, tag: EVERY_TAG });
  const few = await measureEdits(settings, { devices: MANY_DEVICES, tag: HUNDRED_TAG });
  return [
    within(
      `edit that ${all.devices.toLocaleString('en')} devices show: acknowledged`,
      all.acknowledgedMs,
      'ms',
      30,
    ),
    within(`… ${all.told.toLocaleString('en')} sockets told`, all.toldMs, 'ms', 250),
    within('… longest wait of another request', all.slowestReadMs, 'ms', 30),
    within('… memory on top', all.addedBytes / 1e6, 'MB', 120),
    within(
      `edit that ${few.told} of ${few.devices.toLocaleString('en')} devices show: acknowledged`,
      few.acknowledgedMs,
      'ms',
      15,
    ),
    within(`… ${few.told} sockets told`, few.toldMs, 'ms', null),
    within('… longest wait of another request', few.slowestReadMs, 'ms', 30),
  ];
}
