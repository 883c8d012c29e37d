import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The entry file of the cloud. */
export const CLOUD_MAIN = resolve(import.meta.dirname, '../../../src/main.ts');
const READY_WITHIN_MS = 60_000;
/** How `docs/run-a-cloud.md` says to start it: a small young generation, and memory that goes back to the system. */
export const NODE_FLAGS = ['--max-semi-space-size=8'];
export const MEMORY_ENV = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** A cloud in a process of its own, as an operator runs it. */
export interface CloudProcess {
  readonly url: string;
  readonly adminKey: string;
  readonly pid: number;
  /** Resident memory now, in bytes; null where the system does not tell. */
  rssBytes(): number | null;
  /** The most resident memory since `resetPeak`, in bytes. */
  peakRssBytes(): number | null;
  resetPeak(): void;
  /** The last lines that it wrote. */
  tail(): string;
  /** True once the process has ended. */
  readonly ended: boolean;
  stop(): Promise<void>;
  /** No warning, no clean-up: what a crash or the kernel does. */
  kill9(): Promise<void>;
}

export interface CloudProcessOptions {
  dataDir: string;
  /** Keep it from start to start, so that addresses in answers stay true. */
  port: number;
  adminKey: string;
  args?: readonly string[];
}

export const makeAdminKey = (): string => `plk_${randomBytes(24).toString('base64url')}`;

/** A port on loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Starts a cloud and resolves once `/readyz` says yes; rejects with its last words when it ends before. */
export async function startCloudProcess(options: CloudProcessOptions): Promise<CloudProcess> {
  const { dataDir, port, adminKey } = options;
  const url = `http://127.0.0.1:${port}`;
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
      env: { ...process.env, ...MEMORY_ENV, NODE_ENV: 'production', PLACARD_ADMIN_KEY: adminKey },
    },
  );
  let tail = '';
  const keep = (text: string) => {
    tail = (tail + text).slice(-8_000);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const dropOrphan = () => child.kill('SIGKILL');
  process.once('exit', dropOrphan);
  const closed = once(child, 'close').then(() => process.removeListener('exit', dropOrphan));
  await untilReady(child, url, () => tail);

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!hasEnded(child)) child.kill(signal);
    await closed;
  };
  const pid = child.pid ?? 0;
  return {
    url,
    adminKey,
    pid,
    rssBytes: () => procStatus(pid, 'VmRSS'),
    peakRssBytes: () => procStatus(pid, 'VmHWM'),
    resetPeak() {
      const file = join('/proc', String(pid), 'clear_refs');
      if (existsSync(file)) writeFileSync(file, '5');
    },
    tail: () => tail,
    get ended() {
      return hasEnded(child);
    },
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
  };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function untilReady(child: ChildProcess, url: string, tail: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!hasEnded(child) && Date.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(20);
  }
  const why = hasEnded(child) ? `ended (${child.signalCode ?? child.exitCode})` : 'did not become ready';
  child.kill('SIGKILL');
  throw new Error(`the cloud ${why}:\n${tail()}`);
}

function procStatus(pid: number, field: string): number | null {
  try {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line ? Number(line[1]) * 1024 : null;
  } catch {
    return null;
  }
}
