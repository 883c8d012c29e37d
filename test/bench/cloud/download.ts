/** Downloads of a large file and of parts of it, beside a bare server of the same file. `npm run bench:download`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { streamUpload } from '../../../packages/cloud/test/trials/support/stream-upload.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';
import { runLoad } from './load.ts';
import { writeNoisyVideo } from './noisy-video.ts';
import { cpuMicros, startBareServer } from './servers.ts';

const BYTES = 200_000_000;
const ROUNDS = 5;
/** Downloads at the same time. */
const AT_ONCE = 4;
const RANGE_BYTES = 65_536;
const RANGE_CONNECTIONS = 16;

const uploaded = z.object({ data: z.object({ url: z.string() }) });

/** A file on a server. */
interface RemoteFile {
  url: string;
  path: string;
  pid: number;
}

/** Resolves with the number of bytes. */
function download(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.once('end', () => resolve(bytes)).once('error', reject);
    }).once('error', reject);
  });
}

/** Downloads the file some times at once; server CPU of one download and the time of all, in milliseconds. */
async function downloadAtOnce(file: RemoteFile, size: number): Promise<{ cpuMs: number; tookMs: number }> {
  const beganMs = performance.now();
  const before = cpuMicros(file.pid);
  const sizes = await Promise.all(Array.from({ length: AT_ONCE }, () => download(file.url + file.path)));
  if (sizes.some((bytes) => bytes !== size)) {
    throw new Error(`${sizes.join(', ')} bytes were received instead of ${size}`);
  }
  return {
    cpuMs: (cpuMicros(file.pid) - before) / 1000 / AT_ONCE,
    tookMs: performance.now() - beganMs,
  };
}

export async function measureDownload(settings: Settings): Promise<Figure[]> {
  const size = settings.count(BYTES);
  const dir = mkdtempSync(join(tmpdir(), 'placard-bench-download-'));
  const path = join(dir, 'video.mp4');
  await writeNoisyVideo(path, size);
  const fleet = await startFleet(1);
  const bareServer = await startBareServer('download', path);
  try {
    const { cloud } = fleet;
    const upload = { url: cloud.url, key: cloud.adminKey, file: path, size, transfer: 'length' as const };
    const outcome = await streamUpload(upload);
    if (outcome.kind !== 'response' || outcome.status !== 201) {
      throw new Error(`the upload failed: ${JSON.stringify(outcome).slice(0, 300)}`);
    }
    const { url } = uploaded.parse(JSON.parse(outcome.text)).data;
    const ours = { url: cloud.url, pid: cloud.pid, path: new URL(url).pathname };
    const bare = { url: bareServer.url, pid: bareServer.pid, path: '/' };
    // Parts from all over the file, aligned as a player that continues a download asks for them.
    let turn = 0;
    const ranges = (file: RemoteFile) => () => {
      const start = ((turn++ * 7) % Math.floor(size / RANGE_BYTES)) * RANGE_BYTES;
      return {
        method: 'GET',
        path: file.path,
        range: `bytes=${start}-${start + RANGE_BYTES - 1}`,
      } as const;
    };
    const load = { connections: RANGE_CONNECTIONS, ms: settings.ms };
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      rounds.push({
        bare: await downloadAtOnce(bare, size),
        ours: await downloadAtOnce(ours, size),
        bareRange: await runLoad(bare, { ...load, next: ranges(bare) }),
        oursRange: await runLoad(ours, { ...load, next: ranges(ours) }),
      });
    }
    const name = 'bare node:http';
    return [
      {
        name: `download of ${(size / 1e6).toFixed(0)} MB, server CPU`,
        ours: median(rounds.map((round) => round.ours.cpuMs)),
        unit: 'ms',
        limit: { name, value: median(rounds.map((round) => round.bare.cpuMs)) },
        goal: 1.5,
      },
      {
        name: `… time of ${AT_ONCE} at once`,
        ours: median(rounds.map((round) => round.ours.tookMs)),
        unit: 'ms',
        limit: { name, value: median(rounds.map((round) => round.bare.tookMs)) },
        goal: 1.5,
      },
      {
        name: `… a range of ${RANGE_BYTES / 1024} KiB, server CPU`,
        ours: median(rounds.map((round) => round.oursRange.cpuMicrosEach)),
        unit: 'µs',
        limit: { name, value: median(rounds.map((round) => round.bareRange.cpuMicrosEach)) },
        goal: 2.5,
      },
    ];
  } finally {
    bareServer.stop();
    await fleet.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
