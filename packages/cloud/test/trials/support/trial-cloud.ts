import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from './api.ts';
import type { Api } from './api.ts';
import { makeAdminKey, startCloudProcess } from './cloud-process.ts';
import type { CloudProcess } from './cloud-process.ts';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { createKeyRing } from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { freePort } from '../../../../../test/support/free-port.ts';

/** A cloud in its own process on a temporary folder, with an operator's client that stays below the rate limits. */
export interface TrialCloud {
  /** Contains only `dataDir` and what the trial adds. */
  readonly dir: string;
  readonly dataDir: string;
  readonly cloud: CloudProcess;
  readonly client: HttpClient;
  readonly ring: KeyRing;
  readonly api: Api;
  readonly close: () => Promise<void>;
}

export async function startTrialCloud(
  options: { args?: readonly string[]; timeoutMs?: number } = {},
): Promise<TrialCloud> {
  const { args = [], timeoutMs = 60_000 } = options;
  const dir = await mkdtemp(join(tmpdir(), 'placard-trial-'));
  const dataDir = join(dir, 'cloud');
  const cloud = await startCloudProcess({ dataDir, port: await freePort(), adminKey: makeAdminKey(), args });
  const client = createHttpClient({ url: cloud.url, timeoutMs });
  const ring = createKeyRing({ client, adminKey: cloud.adminKey });
  return {
    dir,
    dataDir,
    cloud,
    client,
    ring,
    api: createApi({ client, key: () => ring.take() }),
    async close() {
      await client.close();
      await cloud.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
