/**
 * What an edit of a playlist costs that very many devices show, or a hundred of very many, and what others wait meanwhile.
 * `npm run bench:edit`.
 */
import { median } from '../median.ts';
import { connectDevices, untilAllReceived } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { EVERY_TAG, HUNDRED_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';
import { startReader } from './start-reader.ts';
import type { Reader } from './start-reader.ts';

/** Of which all show the edited playlist. */
const ALL_DEVICES = 50_000;
/** Of which a hundred show it. */
const MANY_DEVICES = 100_000;
const CONNECTED = 5_000;
/** The first ones take up to three times as long: their code is not compiled yet. */
const EDITS = 20;

/**
 * One read after the other. The garbage collector of the cloud copies what thousands of new connections have allocated, which
 * takes up to 25 ms; so many reads later that is done.
 */
const READER = { readsBefore: 5_000, pauseMs: 0, isReconnecting: false, edits: [] };

interface Edits {
  devices: number;
  /** Connected devices that show the playlist. */
  told: number;
  /** Medians, in milliseconds, and what the first one took. */
  acknowledgedMs: number;
  firstMs: number;
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

/** Edits a playlist that all of the devices show, or a hundred of them while the others show another one. */
async function measureEdits(
  settings: Settings,
  { devices, tag }: { devices: number; tag: typeof EVERY_TAG | typeof HUNDRED_TAG },
): Promise<Edits> {
  const fleet = await startFleet(settings.count(devices));
  let reader: Reader | null = null;
  try {
    const { cloud, writeKeys } = fleet;
    const editEvery = await deployPlaylist(cloud, EVERY_TAG);
    const edit = tag === EVERY_TAG ? editEvery : await deployPlaylist(cloud, tag);
    const tokens = fleet.devices.slice(0, Math.max(100, settings.count(CONNECTED))).map(({ token }) => token);
    const showing = await connectDevices(cloud.url, tag === EVERY_TAG ? tokens : tokens.slice(0, 100));
    const others = await connectDevices(cloud.url, tokens.slice(showing.sockets.length));
    reader = await startReader(fleet, READER);
    const restBytes = cloud.rssBytes() ?? Number.NaN;
    cloud.resetPeak();
    const acknowledgedMs: number[] = [];
    const toldMs: number[] = [];
    for (let round = 0; round < settings.rounds(EDITS); round++) {
      const told = untilAllReceived(showing.sockets);
      // Each key has a rate limit.
      acknowledgedMs.push(await timeOf(() => edit(11 + round, writeKeys[round % writeKeys.length])));
      toldMs.push(await told);
    }
    const { keptMs: slowestReadMs } = await reader.stop();
    const addedBytes = (cloud.peakRssBytes() ?? Number.NaN) - restBytes;
    showing.close();
    others.close();
    return {
      devices: fleet.devices.length,
      told: showing.sockets.length,
      acknowledgedMs: median(acknowledgedMs),
      firstMs: acknowledgedMs[0]!,
      toldMs: median(toldMs),
      slowestReadMs,
      addedBytes,
    };
  } finally {
    await reader?.terminate();
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

const acknowledged = (edit: string, { acknowledgedMs, firstMs }: Edits, goal: number): Figure => ({
  ...within(`${edit}: acknowledged`, acknowledgedMs, 'ms', goal),
  detail: `the first ${firstMs.toFixed(1)} ms`,
});

export async function measureEdit(settings: Settings): Promise<Figure[]> {
  const all = await measureEdits(settings, { devices: ALL_DEVICES, tag: EVERY_TAG });
  const few = await measureEdits(settings, { devices: MANY_DEVICES, tag: HUNDRED_TAG });
  return [
    acknowledged(`edit that ${all.devices.toLocaleString('en')} devices show`, all, 30),
    within(`… ${all.told.toLocaleString('en')} sockets told`, all.toldMs, 'ms', 250),
    within('… longest wait of another request', all.slowestReadMs, 'ms', 30),
    within('… memory on top', all.addedBytes / 1e6, 'MB', 120),
    acknowledged(`edit that ${few.told} of ${few.devices.toLocaleString('en')} devices show`, few, 15),
    within(`… ${few.told} sockets told`, few.toldMs, 'ms', null),
    within('… longest wait of another request', few.slowestReadMs, 'ms', 30),
  ];
}
