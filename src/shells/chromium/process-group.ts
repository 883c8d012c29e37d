import { readdirSync, readFileSync } from 'node:fs';

/**
 * Whether anything of a process group still runs. What has ended and only waits for its parent to look does not;
 * the system's own answer, a signal that could be sent, would count it.
 */
export function groupRuns(leader: number): boolean {
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && runsIn(entry, leader));
}

function runsIn(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; after it come: state, parent, group.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leader && state !== 'Z' && state !== 'X';
  } catch {
    // It ended while we looked.
    return false;
  }
}
