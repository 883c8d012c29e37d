import { spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A program of this project running as a real process. */
export interface Program {
  readonly pid: number;
  /** All its output so far. */
  output(): { stdout: string; stderr: string };
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has exited and all its output has been read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Runs `node <file> <args>` from the root of the repository, without inherited PLACARD_ variables. With `stdoutFile`,
 * its standard output goes to that file instead of `output()`.
 */
export function startProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  stdoutFile: string | null = null,
): Program {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PLACARD_'));
  const child = spawn(process.execPath, args, {
    cwd: resolve(import.meta.dirname, '../..'),
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', stdoutFile === null ? 'pipe' : openSync(stdoutFile, 'w'), 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const { promise: ended, resolve: done } = Promise.withResolvers<{
    code: number | null;
    signal: NodeJS.Signals | null;
  }>();
  child.once('close', (code, signal) => done({ code, signal }));
  return {
    pid: child.pid ?? -1,
    output: () => ({ stdout, stderr }),
    signal: (name) => void child.kill(name),
    ended,
  };
}

export interface ProcessInfo {
  pid: number;
  parent: number;
  command: string;
}

/** Null when it has exited. */
function readProcess(pid: number): ProcessInfo | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything; the fields after it are: state, parent, …
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') {
      return null;
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), command };
  } catch {
    return null;
  }
}

function runningProcesses(): ProcessInfo[] {
  return readdirSync('/proc').flatMap((entry) => {
    const found = /^\d+$/.test(entry) ? readProcess(Number(entry)) : null;
    return found ? [found] : [];
  });
}

/** All living processes below `pid`, nearest first. */
export function descendants(pid: number): ProcessInfo[] {
  const all = runningProcesses();
  const found: ProcessInfo[] = [];
  for (let parents = [pid]; parents.length > 0;) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

export const isAlive = (pid: number): boolean => readProcess(pid) !== null;
