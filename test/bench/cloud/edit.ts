/** What an edit of a playlist costs that very many devices show, and what others wait meanwhile. `npm run bench:edit`. */
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { createCloudApi } from '../../../scripts/start/cloud-api.ts';
import { connectDevices, untilAllReceived } from './connect-devices.ts';
import { median, printFigures } from './figures.ts';
import type { Figure } from './figures.ts';
import { EVERY_TAG, HUNDRED_TAG, startFleet } from './fleet.ts';

const DEVICES = 50_000;
const CONNECTED = 5_000;
const EDITS = 5;

const withId = z.object({ id: z.string() });

export async function measureEdit(): Promise<Figure[]> {
  const fleet = await startFleet(DEVICES);
  try {
    const { cloud } = fleet;
    const api = createCloudApi(cloud.url, cloud.adminKey);
    const asset = await api.upload(
      withId,
      resolve(import.meta.dirname, '../../media/sample-menu-1080x1920.png'),
      '',
    );
    const deploy = async (tag: string) => {
      const playlist = await api.post(withId, '/v1/playlists', {
        name: `shown by ${tag}`,
        mode: 'sequential',
        items: [{ content_id: asset.id, duration: 10 }],
      });
      await api.post(z.unknown(), `/v1/playlists/${playlist.id}/deploy`, {
        targets: [{ type: 'tag', value: tag }],
      });
      return playlist.id;
    };
    const shownByAll = await deploy(EVERY_TAG);
    const shownByHundred = await deploy(HUNDRED_TAG);
    const tokens = fleet.devices.slice(100, 100 + CONNECTED).map(({ token }) => token);
    const connected = await connectDevices(cloud.url, tokens);
    const restBytes = cloud.rssBytes() ?? Number.NaN;
    cloud.resetPeak();

    let turn = 0;
    let slowestReadMs = 0;
    const stop = new AbortController();
    const reader = (async () => {
      while (!stop.signal.aborted) {
        const { id } = fleet.devices[turn % DEVICES]!;
        const token = fleet.readKeys[turn++ % fleet.readKeys.length]!;
        const beganMs = performance.now();
        const response = await fetch(`${cloud.url}/v1/devices/${id}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await response.text();
        slowestReadMs = Math.max(slowestReadMs, performance.now() - beganMs);
        await setImmediate();
      }
    })();
    const edit = async (id: string, duration: number) => {
      const beganMs = performance.now();
      await api.patch(`/v1/playlists/${id}`, { items: [{ content_id: asset.id, duration }] });
      return performance.now() - beganMs;
    };
    const acknowledgedMs: number[] = [];
    const toldMs: number[] = [];
    for (let round = 0; round < EDITS; round++) {
      const told = untilAllReceived(connected.sockets);
      acknowledgedMs.push(await edit(shownByAll, 11 + round));
      toldMs.push(await told);
    }
    const fewMs: number[] = [];
    for (let round = 0; round < EDITS; round++) {
      fewMs.push(await edit(shownByHundred, 11 + round));
    }
    stop.abort();
    await reader;
    const addedBytes = (cloud.peakRssBytes() ?? Number.NaN) - restBytes;
    connected.close();
    const count = `${DEVICES / 1000},000`;
    return [
      {
        name: `edit that ${count} devices show: acknowledged`,
        ours: median(acknowledgedMs),
        unit: 'ms',
        limit: null,
        goal: 30,
      },
      { name: `… ${CONNECTED} sockets told`, ours: median(toldMs), unit: 'ms', limit: null, goal: 250 },
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

if (import.meta.main) {
  printFigures(await measureEdit());
}
