/** Time from the start of the cloud until it answers, and its memory at rest. `npm run bench:cloud-start`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { makeAdminKey, startCloud } from './servers.ts';

const ROUNDS = 7;
const REST_MS = 3_000;

export async function measureCloudStart({ rounds, isQuick }: Settings): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-bench-'));
  const options = { dataDir, adminKey: makeAdminKey() };
  const startMs: number[] = [];
  const restBytes: number[] = [];
  try {
    // The first start creates the database.
    await (await startCloud(options)).stop();
    for (let round = 0; round < rounds(ROUNDS); round++) {
      const beganMs = performance.now();
      const cloud = await startCloud(options);
      startMs.push(performance.now() - beganMs);
      await sleep(isQuick ? 0 : REST_MS);
      restBytes.push(cloud.rssBytes() ?? Number.NaN);
      await cloud.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return [
    { name: 'start of the cloud', ours: median(startMs), unit: 'ms', limit: null, goal: 450 },
    { name: 'cloud at rest', ours: median(restBytes) / 1e6, unit: 'MB', limit: null, goal: 125 },
  ];
}
