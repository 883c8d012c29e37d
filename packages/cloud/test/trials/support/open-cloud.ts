import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import { makeAdminKey } from './cloud-process.ts';
import { createManualClock } from './manual-clock.ts';

/** A cloud in this process, on real sockets and a real database, with a clock that moves when told. */
export interface OpenCloud {
  readonly url: string;
  readonly adminKey: string;
  readonly dataDir: string;
  nowMs(): number;
  /** Lets time pass. */
  pass(ms: number): void;
  close(): Promise<void>;
}

export async function openCloud(): Promise<OpenCloud> {
  const dataDir = await mkdtemp(join(tmpdir(), 'placard-trial-'));
  const clock = createManualClock(Date.now());
  const adminKey = makeAdminKey();
  const cloud = await startCloud({
    port: 0,
    host: '127.0.0.1',
    dataDir,
    adminKey,
    logLevel: 'silent',
    clock,
    // Not about the disk of the machine that it runs on.
    minFreeBytes: 0,
    reserveBytes: 0,
    // Receivers of webhooks stand on this machine.
    allowAddresses: ['127.0.0.1/32'],
  });
  return {
    url: cloud.url,
    adminKey,
    dataDir,
    nowMs: () => clock.nowMs(),
    pass: (ms) => clock.advance(ms),
    async close() {
      await cloud.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
