import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCpuMs } from '../../../../../test/bench/process-cost.ts';
import { buildCloud } from '../../../../../scripts/build-cloud.ts';
import { trialDatabase } from './trial-database.ts';

/** The built program, as an operator starts it. */
export const CLOUD_MAIN = resolve(import.meta.dirname, '../../../dist/program/main.js');
const READY_WITHIN_MS = 60_000;
/** Flags from `docs/run-a-cloud.md`: a bounded young generation, and memory that is returned to the system. */
export const NODE_FLAGS = ['--max-semi-space-size=32', '--no-parallel-scavenge'];
export const MEMORY_ENV = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** A cloud in a separate process, as an operator runs it. */
export interface CloudProcess {
  readonly url: string;
  readonly adminKey: string;
  readonly pid: number;
  /** CPU time so far in milliseconds; null where this is not available. */
  cpuMs(): number | null;
  /** Current resident memory in bytes; null where this is not available. */
  rssBytes(): number | null;
  /** Peak resident memory since `resetPeak`, in bytes. */
  peakRssBytes(): number | null;
  resetPeak(): void;
  /** The last lines of its output. */
  recentOutput(): string;
  /** True once the process has ended. */
  readonly hasEnded: boolean;
  stop(): Promise<void>;
  /** Kills without clean-up, like a crash or the OOM killer. */
  kill9(): Promise<void>;
}

export interface CloudProcessOptions {
  dataDir: string;
  /** Keep it across restarts, so that URLs in responses stay valid. */
  port: number;
  adminKey: string;
  args?: readonly string[];
  /** Secrets are here, because other users of the machine can see `args`. */
  env?: Readonly<Record<string, string>>;
  /** Gets all its output. */
  onOutput?: (text: string) => void;
}

export const makeAdminKey = (): string => `plk_${randomBytes(24).toString('base64url')}`;

let building: Promise<void> | undefined;

/** Builds the cloud, if its sources have changed. Starts it and resolves when `/readyz` succeeds; rejects with its last output when it ends before. */
export async function startCloudProcess(options: CloudProcessOptions): Promise<CloudProcess> {
  await (building ??= buildCloud());
  const { dataDir, port, adminKey } = options;
  const url = `http://127.0.0.1:${port}`;
  const database = await trialDatabase(dataDir);
  const child = spawn(
    process.execPath,
    [
      ...NODE_FLAGS,
      CLOUD_MAIN,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--data',
      dataDir,
      ...(options.args ?? []),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...MEMORY_ENV,
        NODE_ENV: 'production',
        ...(database !== undefined && { PLACARD_DATABASE: database }),
        ...options.env,
        PLACARD_ADMIN_KEY: adminKey,
      },
    },
  );
  let recentOutput = '';
  const appendOutput = (text: string) => {
    recentOutput = (recentOutput + text).slice(-8_000);
    options.onOutput?.(text);
  };
  child.stdout.setEncoding('utf8').on('data', appendOutput);
  child.stderr.setEncoding('utf8').on('data', appendOutput);
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  const closed = once(child, 'close').then(() => process.removeListener('exit', killOnExit));
  await waitUntilReady(child, url, () => recentOutput);

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!hasEnded(child)) {
      child.kill(signal);
    }
    await closed;
  };
  const pid = child.pid ?? 0;
  return {
    url,
    adminKey,
    pid,
    cpuMs: () => (hasEnded(child) ? null : processCpuMs(pid)),
    rssBytes: () => procStatus(pid, 'VmRSS'),
    peakRssBytes: () => procStatus(pid, 'VmHWM'),
    resetPeak() {
      const file = join('/proc', String(pid), 'clear_refs');
      if (existsSync(file)) {
        writeFileSync(file, '5');
      }
    },
    recentOutput: () => recentOutput,
    get hasEnded() {
      return hasEnded(child);
    },
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
  };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function waitUntilReady(child: ChildProcess, url: string, recentOutput: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!hasEnded(child) && Date.now() < deadline) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) {
      return;
    }
    await sleep(20);
  }
  const reason = hasEnded(child) ? `ended (${child.signalCode ?? child.exitCode})` : 'did not become ready';
  child.kill('SIGKILL');
  throw new Error(`the cloud ${reason}:\n${recentOutput()}`);
}

function procStatus(pid: number, field: string): number | null {
  try {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line ? Number(line[1]) * 1024 : null;
  } catch {
    return null;
  }
}
