import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apart, boundary, burst, LIMITS, pairingStarts, sliding } from './limits-trial.ts';
import type { LimitsReport, LimitsScene } from './limits-trial.ts';
import { createChance } from './support/chance.ts';
import { freePort, makeAdminKey, startCloudProcess } from './support/cloud-process.ts';

const SCOPES = ['Read', 'Write', 'Admin'] as const;

/** The limits of a cloud in its own process, by the clock of the wall: takes some minutes. */
export async function limitsInRealTime(seed: number): Promise<Record<string, LimitsReport | number>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'placard-limits-'));
  const cloud = await startCloudProcess({ dataDir, port: await freePort(), adminKey: makeAdminKey() });
  const scene: LimitsScene = {
    url: cloud.url,
    adminKey: cloud.adminKey,
    chance: createChance(seed),
    nowMs: () => Date.now(),
    async pass(ms) {
      await sleep(ms);
    },
    // Our clock is read before and after a request, theirs in between.
    slackMs: 1_000,
  };
  const report: Record<string, LimitsReport | number> = { seed };
  try {
    await Promise.all(
      SCOPES.map(async (scope) => {
        report[`${scope} burst`] = await burst(scene, scope);
        report[`${scope} boundary`] = await boundary(scene, scope);
        report[`${scope} sliding`] = await sliding(scene, scope, LIMITS[scope] * 4);
      }),
    );
    report['device'] = await apart(scene);
    report['pairing'] = await pairingStarts(scene);
    return report;
  } finally {
    await cloud.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
