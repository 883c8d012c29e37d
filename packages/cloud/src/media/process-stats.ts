import { readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const LOWEST_PRIORITY = constants.priority.PRIORITY_LOW;

/** Resident memory of a process in bytes. Read from `/proc`, so null except on Linux. */
export function readResidentBytes(pid: number | undefined): number | null {
  try {
    const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line ? Number(line[1]) * 1024 : null;
  } catch {
    return null;
  }
}

/** CPU time of a process, in kernel ticks of 10 ms. Read from `/proc`, so null except on Linux. */
export function readCpuMs(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields after the program name, which may contain spaces; see proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

/** Lowers the CPU priority of a process below the cloud's own; of its threads, those that it starts from then on. */
export function lowerPriority(pid: number | undefined, nicer: number): void {
  try {
    if (pid !== undefined) {
      setPriority(pid, Math.min(getPriority() + nicer, LOWEST_PRIORITY));
    }
  } catch {
    // The process has ended, or its priority is already lower.
  }
}
