import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import type { Cloud, CloudOptions } from '@placard/cloud';
import { vi } from 'vitest';
import { createClient } from './client.ts';
import type { Client } from './client.ts';
import { createManualClock } from './manual-clock.ts';
import type { ManualClock } from './manual-clock.ts';

// A machine that does ten other things is slow, not wrong.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

export const ADMIN_KEY = 'admin-key-of-the-tests-0001';

export interface TestCloud {
  cloud: Cloud;
  clock: ManualClock;
  dataDir: string;
  /** Calls with the Admin key. Each call takes 2.5 s of the test's clock, so that no limit is met by chance. */
  admin: Client;
  /** Calls with another secret, or none. */
  as(secret: string | null): Client;
  /** A key of the scope, made through the API. */
  key(scope: 'Read' | 'Write' | 'Admin'): Promise<string>;
  /** Stops it and starts it again on the same data, the given time later, with these options changed. */
  restart(downMs?: number, changed?: Partial<CloudOptions>): Promise<void>;
  close(): Promise<void>;
}

/** A real cloud on a temporary folder. */
export async function startTestCloud(options: Partial<CloudOptions> = {}): Promise<TestCloud> {
  const clock = createManualClock();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'placard-cloud-')));
  const start = (port: number, changed: Partial<CloudOptions> = {}) =>
    startCloud({
      host: '127.0.0.1',
      dataDir,
      adminKey: ADMIN_KEY,
      logLevel: 'fatal',
      // Most tests are not about the disk of the machine that they run on.
      minFreeBytes: 0,
      reserveBytes: 0,
      clock,
      ...options,
      ...changed,
      port,
    });
  let cloud = await start(0);
  const as = (secret: string | null) =>
    createClient({ url: () => cloud.url, secret, before: () => clock.advance(2500) });
  const admin = as(ADMIN_KEY);
  return {
    get cloud() {
      return cloud;
    },
    clock,
    dataDir,
    admin,
    as,
    async key(scope) {
      const answer = await admin.call('POST', '/v1/api-keys', { name: `A ${scope} key`, scope });
      return answer.data.key;
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
