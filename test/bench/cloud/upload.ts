/** Upload of a large file, beside a bare server that hashes and synchronizes it. `npm run bench:upload`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamUpload } from '../../../packages/cloud/test/trials/support/stream-upload.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';
import { markVideo, writeNoisyVideo } from './noisy-video.ts';
import { startBareServer } from './servers.ts';

const BYTES = 200_000_000;
const ROUNDS = 5;
/** Until V8 has given back what the young generation grew by while the program was loaded; it does when little happens. */
const REST_MS = 30_000;

export async function measureUpload(settings: Settings): Promise<Figure[]> {
  const size = settings.count(BYTES);
  const dir = mkdtempSync(join(tmpdir(), 'placard-bench-upload-'));
  const file = join(dir, 'video.mp4');
  const fleet = await startFleet(1);
  const bare = await startBareServer('upload', join(dir, 'received'));
  const uploadMs = async (url: string) => {
    const beganMs = performance.now();
    const outcome = await streamUpload({ url, key: fleet.cloud.adminKey, file, size, transfer: 'length' });
    if (outcome.kind !== 'response' || outcome.status !== 201) {
      throw new Error(`the upload failed: ${JSON.stringify(outcome).slice(0, 300)}`);
    }
    return performance.now() - beganMs;
  };
  try {
    await writeNoisyVideo(file, size);
    await sleep(settings.isQuick ? 0 : REST_MS);
    fleet.cloud.resetPeak();
    const bareMs: number[] = [];
    const oursMs: number[] = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      await markVideo(file);
      bareMs.push(await uploadMs(bare.url));
      oursMs.push(await uploadMs(fleet.cloud.url));
    }
    return [
      {
        name: `upload of ${(size / 1e6).toFixed(0)} MB`,
        ours: median(oursMs),
        unit: 'ms',
        limit: { name: 'bare server that hashes and syncs', value: median(bareMs) },
        goal: 1.3,
      },
      {
        name: '… largest memory of the cloud, started half a minute before',
        ours: (fleet.cloud.peakRssBytes() ?? Number.NaN) / 1e6,
        unit: 'MB',
        limit: null,
        goal: 130,
      },
    ];
  } finally {
    bare.stop();
    await fleet.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
