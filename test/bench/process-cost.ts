import { readFileSync } from 'node:fs';

/** Clock ticks of a second in `/proc/<pid>/stat`. */
export const TICKS_PER_SECOND = 100;

/** CPU time of a process so far, in milliseconds, as the system counts it. */
export function processCpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** CPU time so far, and memory with a fair share of what several processes use; null if the process has ended. */
export function readProcessCost(pid: number): { cpuMs: number; pssBytes: number } | null {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return {
      cpuMs: processCpuMs(pid),
      pssBytes: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? Number.NaN) * 1024,
    };
  } catch {
    return null;
  }
}
