import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Resident memory of a process, bytes. From `/proc`, so null but on Linux. */
export function residentBytes(pid: number | undefined): number | null {
  try {
    const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line ? Number(line[1]) * 1024 : null;
  } catch {
    return null;
  }
}

/** The time that a process computed, by the kernel's ticks of 10 ms. From `/proc`, so null but on Linux. */
export function cpuMs(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name of the program, which may hold spaces; see proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

/** Lets a process compute when nobody else has to. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or has a lower one.
  }
}
