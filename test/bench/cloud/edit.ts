/** What an edit of a playlist costs that very many devices show, and what others wait meanwhile. `npm run bench:edit`. */
import { setImmediate } from 'node:timers/promises';
import { median } from '../median.ts';
import { connectDevices, untilAllReceived } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { EVERY_TAG, HUNDRED_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';

const DEVICES = 50_000;
const CONNECTED = 5_000;
const EDITS = 5;

/** How long it takes, in milliseconds. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await run();
  return performance.now() - beganMs;
}

export async function measureEdit(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES));
  const edits = settings.rounds(EDITS);
  try {
    const { cloud } = fleet;
    const editShownByAll = await deployPlaylist(cloud, EVERY_TAG);
    const editShownByHundred = await deployPlaylist(cloud, HUNDRED_TAG);
    const tokens = fleet.devices.slice(100, 100 + settings.count(CONNECTED)).map(({ token }) => token);
    const connected = await connectDevices(cloud.url, tokens);
    const restBytes = cloud.rssBytes() ?? Number.NaN;
    cloud.resetPeak();

    let turn = 0;
    let slowestReadMs = 0;
    const stop = new AbortController();
    const reader = (async () => {
      while (!stop.signal.aborted) {
        const { id } = fleet.devices[turn % fleet.devices.length]!;
        const token = fleet.readKeys[turn++ % fleet.readKeys.length]!;
        const beganMs = performance.now();
        const response = await fetch(`${cloud.url}/v1/devices/${id}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await response.text();
        if (!response.ok) {
          throw new Error(`reading a device: ${response.status}`);
        }
        slowestReadMs = Math.max(slowestReadMs, performance.now() - beganMs);
        await setImmediate();
      }
    })();
    // Each key has a rate limit.
    const keyOf = (round: number) => fleet.writeKeys[round % fleet.writeKeys.length];
    const acknowledgedMs: number[] = [];
    const toldMs: number[] = [];
    for (let round = 0; round < edits; round++) {
      const told = untilAllReceived(connected.sockets);
      acknowledgedMs.push(await timeOf(() => editShownByAll(11 + round, keyOf(round))));
      toldMs.push(await told);
    }
    const fewMs: number[] = [];
    for (let round = 0; round < edits; round++) {
      fewMs.push(await timeOf(() => editShownByHundred(11 + round, keyOf(round))));
    }
    stop.abort();
    await reader;
    const addedBytes = (cloud.peakRssBytes() ?? Number.NaN) - restBytes;
    connected.close();
    const count = fleet.devices.length.toLocaleString('en');
    return [
      {
        name: `edit that ${count} devices show: acknowledged`,
        ours: median(acknowledgedMs),
        unit: 'ms',
        limit: null,
        goal: 30,
      },
      {
        name: `… ${tokens.length.toLocaleString('en')} sockets told`,
        ours: median(toldMs),
        unit: 'ms',
        limit: null,
        goal: 250,
      },
      { name: '… longest wait of another request', ours: slowestReadMs, unit: 'ms', limit: null, goal: 30 },
      { name: '… memory on top', ours: addedBytes / 1e6, unit: 'MB', limit: null, goal: 120 },
      {
        name: `edit that 100 of ${count} devices show`,
        ours: median(fewMs),
        unit: 'ms',
        limit: null,
        goal: 15,
      },
    ];
  } finally {
    await fleet.stop();
  }
}
