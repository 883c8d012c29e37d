import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import type { Cloud, CloudOptions } from '@placard/cloud';
import { vi } from 'vitest';
import { createApiClient } from './client.ts';
import type { ApiClient } from './client.ts';
import { createManualClock } from './manual-clock.ts';
import type { ManualClock } from './manual-clock.ts';

// Long timeouts for busy machines.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

export const ADMIN_KEY = 'admin-key-of-the-tests-0001';

export interface TestCloud {
  cloud: Cloud;
  clock: ManualClock;
  dataDir: string;
  /** Client with the Admin key. Each call advances the test clock by 2.5 s, to stay below rate limits. */
  admin: ApiClient;
  /** Client with another secret, or none. */
  clientFor(secret: string | null): ApiClient;
  /** Creates a key of this scope through the API. */
  createKey(scope: 'Read' | 'Write' | 'Admin'): Promise<string>;
  /** Stops the cloud and starts it on the same data after `downMs`, with changed options. */
  restart(downMs?: number, changed?: Partial<CloudOptions>): Promise<void>;
  close(): Promise<void>;
}

/** Starts a real cloud in a temporary folder. */
export async function startTestCloud(options: Partial<CloudOptions> = {}): Promise<TestCloud> {
  const clock = createManualClock();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'placard-cloud-')));
  const start = (port: number, changed: Partial<CloudOptions> = {}) =>
    startCloud({
      host: '127.0.0.1',
      dataDir,
      adminKey: ADMIN_KEY,
      logLevel: 'fatal',
      // Most tests must not depend on free disk space.
      minFreeBytes: 0,
      reserveBytes: 0,
      clock,
      ...options,
      ...changed,
      port,
    });
  let cloud = await start(0);
  const clientFor = (secret: string | null) =>
    createApiClient({ url: () => cloud.url, secret, beforeRequest: () => clock.advance(2500) });
  const admin = clientFor(ADMIN_KEY);
  return {
    get cloud() {
      return cloud;
    },
    clock,
    dataDir,
    admin,
    clientFor,
    async createKey(scope) {
      const response = await admin.call('POST', '/v1/api-keys', { name: `A ${scope} key`, scope });
      return response.data.key;
    },
    async restart(downMs = 0, changed = {}) {
      const port = Number(new URL(cloud.url).port);
      await cloud.close();
      clock.advance(downMs);
      cloud = await start(port, changed);
    },
    async close() {
      await cloud.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
