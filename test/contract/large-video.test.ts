import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { hashFile } from '../../src/adapters/media-cache/media-file.ts';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { createStageServer } from '../../src/stage-link/server.ts';
import { videoAsset } from '../support/manifests.ts';
import { createMemoryDatabase } from '../support/memory-database.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';

/** `npm run test:large` sets 2 GiB, the maximum that a cloud accepts. */
const BYTES = Number(process.env.PLACARD_VIDEO_BYTES ?? 96 * 1024 * 1024);
/** Limit of memory growth, including uncollected garbage of client and server in this process. */
const MOST_MEMORY_BYTES = 256 * 1024 * 1024;
const TAIL = 'the last bytes of a long film';

const memory = () => process.memoryUsage().arrayBuffers;

/** A sparse file: it has its full size, but unwritten parts use no disk space. */
async function makeFilm(path: string): Promise<string> {
  const file = await open(path, 'w');
  await file.truncate(BYTES);
  await file.write('the first bytes', 0);
  await file.write('the middle', Math.floor(BYTES / 2));
  await file.write(TAIL, BYTES - TAIL.length);
  await file.close();
  return (await hashFile(path)).digest('hex');
}

/** Serves the video; the first connection breaks in the middle. */
async function serve(path: string): Promise<{ url: string; ranges: (string | null)[] }> {
  const ranges: (string | null)[] = [];
  const server = createServer((incoming, response) => {
    const range = incoming.headers.range ?? null;
    ranges.push(range);
    const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === null ? 200 : 206, {
      etag: '"film"',
      'content-length': BYTES - from,
      ...(range === null ? {} : { 'content-range': `bytes ${from}-${BYTES - 1}/${BYTES}` }),
    });
    const end = ranges.length === 1 ? Math.floor(BYTES / 2) : BYTES - 1;
    const film = createReadStream(path, { start: from, end });
    film.on('end', () => (end === BYTES - 1 ? response.end() : response.destroy()));
    pipeline(film, response, { end: false }).catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/film`, ranges };
}

test(`a video of ${BYTES} bytes is downloaded with an interruption, verified, stored and shown, and never completely in memory`, async () => {
  const dir = tempDir();
  const film = join(dir, 'film');
  const sha256 = await makeFilm(film);
  const { url, ranges } = await serve(film);
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const cache = await openMediaCache({
    dir: join(dir, 'media'),
    index: createMemoryDatabase(),
    dispatcher,
    ssrfGuard: { check: async () => {} },
    maxCacheBytes: null,
    minFreeBytes: 0,
    maxBytesPerSecond: null,
    log: createRecordingLog(),
  });
  const asset = videoAsset('film', 7_200);
  const wanted = { ...asset, sha256, size: BYTES, url };
  const before = memory();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, memory() - before)), 20);
  onTestFinished(() => clearInterval(watch));
  const { signal } = new AbortController();

  await expect(cache.fetch(wanted, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
  await cache.fetch(wanted, signal);
  expect(ranges).toEqual([null, expect.stringMatching(/^bytes=\d+-$/)]);
  expect(Number(/\d+/.exec(ranges[1] ?? '')?.[0])).toBeGreaterThan(0);
  expect(await cache.verify(sha256)).toBe(true);
  expect(await cache.find(sha256)).toMatchObject({ size: BYTES, contentType: 'video/mp4' });
  expect(most).toBeLessThan(MOST_MEMORY_BYTES);

  const stage = createStageServer({
    rendererDir: tempDir(),
    session: 'x'.repeat(43),
    log: createRecordingLog(),
    findMedia: (wantedHash) => cache.find(wantedHash),
    onMessage: () => {},
    onConnection: () => {},
  });
  const port = await stage.listen(0);
  onTestFinished(() => stage.close());
  const entry = await request(stage.issuePageUrl(), { dispatcher });
  await entry.body.dump();
  const cookie = String(entry.headers['set-cookie']).split(';', 1)[0] ?? '';
  const tail = await request(`http://127.0.0.1:${port}/media/${sha256}`, {
    dispatcher,
    headers: { cookie, range: `bytes=${BYTES - TAIL.length}-` },
  });
  expect(tail.statusCode).toBe(206);
  expect(await tail.body.text()).toBe(TAIL);
}, 600_000);
