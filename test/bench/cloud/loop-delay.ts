/**
 * How long one turn of the event loop of a process takes at most, while everybody else waits. A module that the process
 * loads before its program (`--import`) measures it; at a signal it writes what it has measured, and begins anew.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const FILE_VARIABLE = 'PLACARD_BENCH_LOOP_DELAY';
/** The timer that measures is due so often: a turn that is shorter may be missed. */
const RESOLUTION_MS = 2;
const POLL_MS = 20;
const ANSWER_TIMEOUT_MS = 30_000;

export interface LoopDelays {
  longestMs: number;
  /** Of a thousand times that the timer was due, one was later. */
  p999Ms: number;
}

export interface LoopDelayProbe {
  /** For the process. */
  env: Record<string, string>;
  /** What was measured since the call before. */
  take(pid: number): Promise<LoopDelays>;
}

export function createLoopDelayProbe(): LoopDelayProbe {
  const file = join(tmpdir(), `placard-loop-delay-${process.pid}-${performance.now()}.json`);
  return {
    env: { NODE_OPTIONS: `--import=${import.meta.url}`, [FILE_VARIABLE]: file },
    async take(pid) {
      process.kill(pid, 'SIGUSR2');
      const untilMs = performance.now() + ANSWER_TIMEOUT_MS;
      while (!existsSync(file)) {
        if (performance.now() > untilMs) {
          throw new Error('the process does not say how long its turns take');
        }
        await sleep(POLL_MS);
      }
      const delays: LoopDelays = JSON.parse(readFileSync(file, 'utf8'));
      rmSync(file);
      return delays;
    },
  };
}

const toMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);

/** In the process itself. */
function measure(file: string): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  process.on('SIGUSR2', () => {
    const measured: LoopDelays = { longestMs: toMs(delays.max), p999Ms: toMs(delays.percentile(99.9)) };
    writeFileSync(`${file}.part`, JSON.stringify(measured));
    renameSync(`${file}.part`, file);
    delays.reset();
  });
}

const file = process.env[FILE_VARIABLE];
if (file !== undefined) {
  // Not in the processes that this one starts.
  delete process.env[FILE_VARIABLE];
  measure(file);
}
