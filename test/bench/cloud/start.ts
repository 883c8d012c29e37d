/** Time from the start of the cloud until it answers, and its memory at rest. `npm run bench:cloud-start`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  freePort,
  makeAdminKey,
  startCloudProcess,
} from '../../../packages/cloud/test/trials/support/cloud-process.ts';
import { median } from '../median.ts';
import { printFigures } from './figures.ts';
import type { Figure } from './figures.ts';

const ROUNDS = 7;
const REST_MS = 3_000;

export async function measureStart(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-bench-'));
  const options = { dataDir, port: await freePort(), adminKey: makeAdminKey() };
  const startMs: number[] = [];
  const restBytes: number[] = [];
  try {
    // The first start creates the database.
    await (await startCloudProcess(options)).stop();
    for (let round = 0; round < ROUNDS; round++) {
      const beganMs = performance.now();
      const cloud = await startCloudProcess(options);
      startMs.push(performance.now() - beganMs);
      await sleep(REST_MS);
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

if (import.meta.main) {
  printFigures(await measureStart());
}
