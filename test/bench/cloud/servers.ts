import { fork } from 'node:child_process';
import type { ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeAdminKey,
  MEMORY_ENV,
  NODE_FLAGS,
  startCloudProcess,
} from '../../../packages/cloud/test/trials/support/cloud-process.ts';
import type { CloudProcess } from '../../../packages/cloud/test/trials/support/cloud-process.ts';
import { freePort } from '../../support/free-port.ts';

export type BenchCloud = CloudProcess;
export { makeAdminKey };

/** Starts a cloud as an operator runs it, and resolves when it is ready. All benches start theirs here. */
export async function startCloud(options: {
  dataDir: string;
  adminKey: string;
  env?: Readonly<Record<string, string>>;
}): Promise<BenchCloud> {
  return startCloudProcess({ ...options, port: await freePort() });
}

/**
 * CPU time of the threads of a process so far, in microseconds, as the system counts it. What has ended is missing, so it is
 * for servers, whose threads live as long as they. `/proc/<pid>/stat` counts in steps of ten milliseconds: a short run may
 * take none.
 */
export function cpuMicros(pid: number): number {
  const directory = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(directory).map((thread) => {
    try {
      return Number(readFileSync(join(directory, thread, 'schedstat'), 'utf8').split(' ')[0]);
    } catch {
      // It has ended since.
      return 0;
    }
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
}

export interface BareServer {
  url: string;
  pid: number;
  /** From now on it also computes for so long for each request. */
  computeBesides(micros: number): void;
  stop(): void;
}

/** Starts `bare-server.ts` with these arguments. */
export const startBareServer = (...args: string[]): Promise<BareServer> => forkBareServer(args);

/** The same with the settings of memory with which a cloud runs. */
export const startBareServerLikeCloud = (...args: string[]): Promise<BareServer> =>
  forkBareServer(args, { execArgv: NODE_FLAGS, env: { ...process.env, ...MEMORY_ENV } });

async function forkBareServer(args: readonly string[], options: ForkOptions = {}): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'), args, options);
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    computeBesides: (micros) => void child.send(micros),
    stop: () => child.kill(),
  };
}
