import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { startCloud } from '@placard/cloud';
import type { Clock } from '@placard/cloud';
import { relaxSynchronousMode } from '../../../../../test/support/relax-synchronous-mode.ts';

/** A cloud in a process of its own, whose rare jobs (roll-up, retention) run every second and whose log is moved often. */
const [dataDir = '', port = '', adminKey = '', durability = 'FULL'] = process.argv.slice(2);
const RARE_MS = 300_000;
/** The load writes too little for the usual 4,000. */
const CHECKPOINT_PAGES = 60;

const pretendToSync = (_fd: number, done: fs.NoParamCallback) => void setImmediate(done, null);

const clock: Clock = {
  nowMs: () => Date.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs < RARE_MS ? delayMs : 1_000).unref();
    return () => clearTimeout(timer);
  },
};

if (durability === 'NORMAL') {
  relaxSynchronousMode(durability);
}
if (durability !== 'FULL') {
  // What the cloud itself syncs for heartbeats and plays.
  Object.assign(fs, { fdatasync: pretendToSync });
  syncBuiltinESMExports();
}
const cloud = await startCloud({
  // Each move syncs the log, so the control would lose less.
  checkpointPages: durability === 'FULL' ? CHECKPOINT_PAGES : undefined,
  port: Number(port),
  host: '127.0.0.1',
  dataDir,
  adminKey,
  logLevel: 'error',
  clock,
  // Do not depend on the free disk space of this machine, and do not record what is written to reserve some.
  minFreeBytes: 0,
  reserveBytes: 0,
});
process.once('SIGTERM', () => void cloud.close().then(() => process.exit(0)));
