import { setImmediate } from 'node:timers/promises';
import { startCloud } from '@placard/cloud';
import type { Clock, CloudOptions } from '@placard/cloud';
import { createManualClock } from '../../support/manual-clock.ts';

/** What the process gets in `PLACARD_CLOCKED`. */
export interface ClockedCloudSettings {
  dataDir: string;
  database: string | undefined;
  /** With several nodes, which share the bucket. */
  s3: CloudOptions['s3'];
  port: number;
  adminKey: string;
  mailPort: number;
  startMs: number;
}

/** How often rules for alerts are looked at, and pictures of screens. */
const LOOKS_MS: readonly number[] = [15_000, 2_000];
/** A look that takes longer, as without its database, goes on while time passes. */
const MAX_WAIT_MS = 5_000;

/** A cloud in a process of its own, in which time passes only when its parent says so. */
const settings: ClockedCloudSettings = JSON.parse(process.env['PLACARD_CLOCKED'] ?? '');
const manual = createManualClock(settings.startMs);
let waitingLooks = 0;
const clock: Clock = {
  nowMs: () => manual.nowMs(),
  setTimer(delayMs, run) {
    const isLook = LOOKS_MS.includes(delayMs);
    waitingLooks += isLook ? 1 : 0;
    return manual.setTimer(delayMs, () => {
      waitingLooks -= isLook ? 1 : 0;
      run();
    });
  },
};
await startCloud({
  port: settings.port,
  host: '127.0.0.1',
  dataDir: settings.dataDir,
  ...(settings.database !== undefined && { database: settings.database }),
  s3: settings.s3,
  adminKey: settings.adminKey,
  logLevel: 'error',
  clock,
  mailServer: {
    host: '127.0.0.1',
    port: settings.mailPort,
    isSecure: false,
    isTlsRequired: false,
    user: null,
    password: null,
    from: 'placard@example.com',
  },
  publicUrl: 'http://placard.example.com',
  // Do not depend on the free disk space of this machine.
  minFreeBytes: 0,
  reserveBytes: 0,
});

/** Lets time pass, and waits until the look that became due is finished. */
async function advance(ms: number): Promise<void> {
  const looks = waitingLooks;
  const lastMs = performance.now() + MAX_WAIT_MS;
  const isLooking = () => waitingLooks < looks && performance.now() < lastMs;
  manual.advance(ms);
  while (isLooking()) {
    await setImmediate();
  }
}

process.on('message', (ms: number) => {
  void advance(ms).then(() => process.send?.('advanced'));
});
process.send?.('ready');
