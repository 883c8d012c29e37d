import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Clock ticks of a second in `/proc/<pid>/stat`. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process so far, in microseconds, as the system counts it. */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(join('/proc', String(pid), 'stat'), 'utf8')
    .split(') ')[1]!
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS_PER_SECOND;
}

export interface BareServer {
  url: string;
  pid: number;
  stop(): void;
}

/** Starts `bare-server.ts` with these arguments. */
export async function startBareServer(...args: string[]): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'), args);
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.kill() };
}
