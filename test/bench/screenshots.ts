/**
 * How long it takes from the request for a picture of a screen until the API has it, and from that for a live picture until its
 * response: a real cloud, and a real player that shows pictures and videos in the headless browser of the npm package.
 * `npm run bench:screenshots`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@placard/client';
import { z } from 'zod';
import { createCloudAndPlayer } from '../support/cloud-and-player.ts';
import { createSamplesPlaylist } from '../support/samples-playlist.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Figure } from './figures.ts';
import { median } from './median.ts';
import type { Settings } from './settings.ts';

const SCREENSHOTS = 200;
/** A device may make 120 requests a minute, and makes three for a picture: received, the picture, done. */
const SCREENSHOT_INTERVAL_MS = 2_200;
/** A request of which nothing has come until then has expired. */
const EXPIRED_AFTER_MS = 130_000;
const LIVE_PICTURES = 100;
/** A player takes one live picture a second. */
const LIVE_INTERVAL_MS = 1_000;
/** A Write key may make 30 requests a minute, and an Admin key makes them. */
const SCREENSHOTS_PER_KEY = 25;
const READY_WITHIN_MS = 60_000;
const withId = z.object({ id: z.string() });

export async function measureScreenshots(settings: Settings): Promise<Figure[]> {
  const system = await createCloudAndPlayer();
  const leaving = new AbortController();
  try {
    await system.startCloud();
    const { api, url } = system;
    const playlist = await createSamplesPlaylist(api, 2);
    system.startPlayer();
    const code = await waitUntil(
      'a pairing code',
      async () => (await system.readStatus().catch(() => null))?.code ?? null,
      READY_WITHIN_MS,
    );
    const { id: deviceId } = await api.post(withId, '/v1/devices/pair', { code, name: 'Bench' });
    const targets = [{ type: 'device', id: deviceId }];
    await api.post(withId, `/v1/playlists/${playlist}/deploy`, { targets });
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
      const { value } = await Promise.race([next, expireUnlessArrived(placard, deviceId, next)]);
      takenMs.push(performance.now() - beganMs);
      sizes.push(z.object({ screenshot: z.object({ size: z.number() }) }).parse(value.data).screenshot.size);
      await waitUntilMs(beganMs + SCREENSHOT_INTERVAL_MS + momentOf(taken));
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
      await waitUntilMs(beganMs + LIVE_INTERVAL_MS + momentOf(taken));
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

const waitUntilMs = (ms: number): Promise<void> => wait(Math.max(0, ms - performance.now()));

/** Another for each picture, so that they are of different moments of the items. */
const momentOf = (taken: number): number => (taken * 37) % 100;

/** Rejects with what the player says when the picture has not come in time; until then it is pending. */
async function expireUnlessArrived(
  placard: ReturnType<typeof createClient>,
  deviceId: string,
  next: Promise<unknown>,
): Promise<never> {
  const arrived = new AbortController();
  void next.then(() => arrived.abort());
  await wait(EXPIRED_AFTER_MS, undefined, { signal: arrived.signal }).catch(() => {});
  if (arrived.signal.aborted) {
    return new Promise(() => {});
  }
  const { request } = await placard.devices.getScreenshot(deviceId);
  throw new Error(`the player has sent no picture: ${request?.problem ?? request?.status ?? 'not asked'}`);
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
