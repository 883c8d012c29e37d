import { readFileSync } from 'node:fs';

const LINUX_DEFAULT = 1024;

/** Files and sockets that this process may have open at a time; known on Linux alone. */
export function openFileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? LINUX_DEFAULT);
}
