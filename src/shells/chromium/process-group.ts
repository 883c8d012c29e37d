import { readdirSync, readFileSync } from 'node:fs';

/** Whether any process of a group still runs. Zombies are not counted; sending signal 0 would count them. */
export function isProcessGroupRunning(leader: number): boolean {
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isRunningInGroup(entry, leader));
}

function isRunningInGroup(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain anything; after it come state, parent and group.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leader && state !== 'Z' && state !== 'X';
  } catch {
    // It ended during the check.
    return false;
  }
}
