/**
 * How long it takes from the request for a picture of a screen until the API has it, and from that for a live picture until its
 * response: a real cloud, and a real player that shows pictures and videos in the headless browser of the npm package.
 * `npm run bench:screenshots`.
 */
import { resolve } from 'node:path';
import { createClient } from '@placard/client';
import { z } from 'zod';
import { createCloudAndPlayer } from '../support/cloud-and-player.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Figure } from './figures.ts';
import { median } from './median.ts';
import type { Settings } from './settings.ts';

const SCREENSHOTS = 200;
const LIVE_PICTURES = 100;
/** A player takes one live picture a second. */
const LIVE_INTERVAL_MS = 1_000;
/** A Write key may make 30 requests a minute, and an Admin key makes them. */
const SCREENSHOTS_PER_KEY = 25;
const MEDIA = ['sample-morning-1920x1080.jpg', 'sample-waves-1280x720.mp4', 'sample-offer-1200x1200.webp'];
const READY_WITHIN_MS = 60_000;
const withId = z.object({ id: z.string() });

export async function measureScreenshots(settings: Settings): Promise<Figure[]> {
  const system = await createCloudAndPlayer();
  const leaving = new AbortController();
  try {
    await system.startCloud();
    const { api, url } = system;
    const items = [];
    for (const name of MEDIA) {
      const { id } = await api.upload(withId, resolve('test/media', name), 'sample');
      items.push({ content_id: id, duration: 2 });
    }
    const playlist = await api.post(withId, '/v1/playlists', { name: 'Samples', mode: 'sequential', items });
    system.startPlayer();
    const code = await waitUntil(
      'a pairing code',
      async () => (await system.readStatus().catch(() => null))?.code ?? null,
      READY_WITHIN_MS,
    );
    const { id: deviceId } = await api.post(withId, '/v1/devices/pair', { code, name: 'Bench' });
    const targets = [{ type: 'device', id: deviceId }];
    await api.post(withId, `/v1/playlists/${playlist.id}/deploy`, { targets });
    await waitUntil(
      'the first item on the screen',
      async () => (await system.readStatus()).now_playing !== null,
      READY_WITHIN_MS,
    );

    const takenMs: number[] = [];
    const sizes: number[] = [];
    const count = settings.count(SCREENSHOTS);
    const clientWith = async (scope: string) => {
      const { key } = await api.post(z.object({ key: z.string() }), '/v1/api-keys', { name: 'bench', scope });
      return createClient({ server: url, apiKey: key });
    };
    const { events } = await clientWith('Read');
    const types = ['device.screenshot'];
    const arrived = events.stream({ types, signal: leaving.signal })[Symbol.asyncIterator]();
    let placard = await clientWith('Write');
    for (let taken = 0; taken < count; taken++) {
      if (taken % SCREENSHOTS_PER_KEY === SCREENSHOTS_PER_KEY - 1) {
        placard = await clientWith('Write');
      }
      const beganMs = performance.now();
      const next = arrived.next();
      await placard.devices.requestScreenshot(deviceId);
      const { value } = await next;
      takenMs.push(performance.now() - beganMs);
      sizes.push(z.object({ screenshot: z.object({ size: z.number() }) }).parse(value.data).screenshot.size);
      // The next picture is one of another moment.
      await new Promise((done) => setTimeout(done, 100 + ((taken * 37) % 400)));
    }
    const live = { tookMs: [] as number[], sizes: [] as number[] };
    const liveCount = settings.count(LIVE_PICTURES);
    for (let taken = 0; taken < liveCount; taken++) {
      if (taken % SCREENSHOTS_PER_KEY === 0) {
        placard = await clientWith('Write');
      }
      const beganMs = performance.now();
      const image = await (await placard.devices.takeLivePicture(deviceId)).arrayBuffer();
      const tookMs = performance.now() - beganMs;
      live.tookMs.push(tookMs);
      live.sizes.push(image.byteLength);
      await new Promise((done) =>
        setTimeout(done, Math.max(0, LIVE_INTERVAL_MS - tookMs) + ((taken * 37) % 100)),
      );
    }
    return [
      {
        name: 'picture of a screen, from the request until the API has it',
        ours: median(takenMs),
        unit: 'ms',
        limit: null,
        goal: null,
        detail: `${count} pictures of ${Math.round(median(sizes) / 1_000)} kB`,
      },
      slowestOf(takenMs, 3_000),
      {
        name: 'live picture of a screen, from the request to its response',
        ours: median(live.tookMs),
        unit: 'ms',
        limit: null,
        goal: null,
        detail: `${liveCount} pictures of ${Math.round(median(live.sizes) / 1_000)} kB`,
      },
      slowestOf(live.tookMs, 1_000),
    ];
  } finally {
    leaving.abort();
    await system.close();
  }
}

/** The time within which 95 of 100 are there. */
function slowestOf(tookMs: readonly number[], goal: number): Figure {
  const sorted = tookMs.toSorted((a, b) => a - b);
  return {
    name: '… 95 of 100',
    ours: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN,
    unit: 'ms',
    limit: null,
    goal,
    detail: `longest ${Math.round(sorted.at(-1) ?? Number.NaN)} ms`,
  };
}
