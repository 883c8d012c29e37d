import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import { createApi } from './api.ts';
import type { Api } from './api.ts';
import { makeAdminKey } from './cloud-process.ts';
import { trialDatabase } from './trial-database.ts';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { createManualClock } from '../../support/manual-clock.ts';

/** A cloud in this process, with real sockets, a real database and a manual clock. */
export interface InProcessCloud {
  readonly url: string;
  readonly adminKey: string;
  readonly dataDir: string;
  readonly client: HttpClient;
  /** Uses the Admin key; each call advances the clock by 2.5 s, to stay below the rate limits. */
  readonly api: Api;
  nowMs(): number;
  /** Advances the clock. */
  advanceTime(ms: number): void;
  close(): Promise<void>;
}

/** Without a folder it makes one, and removes it when it is closed. */
export async function startInProcessCloud(
  given: { dataDir?: string; adminKey?: string; startMs?: number } = {},
): Promise<InProcessCloud> {
  const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), 'placard-trial-')));
  const clock = createManualClock(given.startMs ?? Date.now());
  const adminKey = given.adminKey ?? makeAdminKey();
  const database = await trialDatabase(dataDir);
  const cloud = await startCloud({
    port: 0,
    host: '127.0.0.1',
    dataDir,
    ...(database !== undefined && { database }),
    adminKey,
    logLevel: 'silent',
    clock,
    // Do not depend on the free disk space of this machine.
    minFreeBytes: 0,
    reserveBytes: 0,
    // Webhook receivers run on this machine.
    allowAddresses: ['127.0.0.1/32'],
  });
  const client = createHttpClient({ url: cloud.url });
  const key = () => {
    clock.advance(2_500);
    return adminKey;
  };
  return {
    url: cloud.url,
    adminKey,
    dataDir,
    client,
    api: createApi({ client, key }),
    nowMs: () => clock.nowMs(),
    advanceTime: (ms) => clock.advance(ms),
    async close() {
      await client.close();
      await cloud.close();
      if (given.dataDir === undefined) {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}
