import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PROGRAM_FILES } from '../program/program-files.ts';

const SHELL = '/bin/sh';
/** Maximum JavaScript heap; the remaining memory is for libvips and FFmpeg. */
const USUAL_HEAP_MIB = 256;
/**
 * No core file, first choice of the OOM killer, and killed with the cloud (a hanging thread does not notice that the cloud
 * was killed). Not every system has this `setpriv`.
 */
const LIMITS_SCRIPT =
  'ulimit -c 0; echo 1000 2>/dev/null >/proc/self/oom_score_adj; ' +
  'if setpriv --pdeathsig KILL true 2>/dev/null; then exec setpriv --pdeathsig KILL "$0" "$@"; else exec "$0" "$@"; fi';

/** A program of ours that works on untrusted files. */
export interface LimitedProgram {
  /** Its module, and what it is told. */
  main: string;
  args: readonly string[];
  /** Folder of the files that it may read. */
  readableDir: string;
  /** The only folder that it may write to. */
  writableDir?: string;
  /** CPU seconds: ends processes that hang where no other limit applies. */
  cpuSeconds: number;
  /**
   * A second limit, for memory that grows faster than the parent polls. It counts writable address space, of which
   * Node.js reserves about 700 MB that it never touches.
   */
  dataKb: number;
  /** Maximum JavaScript heap, when it needs more than others. */
  heapMib?: number;
}

/** Starts a program with as few rights and resources as possible. */
export function spawnLimited(program: LimitedProgram): ChildProcess {
  const { main, args, cpuSeconds, dataKb, heapMib = USUAL_HEAP_MIB } = program;
  const flags = [
    '--no-warnings',
    `--max-old-space-size=${heapMib}`,
    '--max-semi-space-size=8',
    ...permissionFlags(program),
    main,
    ...args,
  ];
  const options = {
    // None of the cloud's variables: they may contain its Admin key.
    env: systemVariables(),
    cwd: dirname(main),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'] satisfies ('ignore' | 'pipe' | 'ipc')[],
    windowsHide: true,
  };
  const script = `ulimit -t ${cpuSeconds}; ulimit -d ${dataKb}; ${LIMITS_SCRIPT}`;
  return existsSync(SHELL)
    ? spawn(SHELL, ['-c', script, process.execPath, ...flags], options)
    : spawn(process.execPath, flags, options);
}

/**
 * Allows reading our code, the libraries and the media, and writing to one folder at most; no child processes, no workers.
 * Native addons must be allowed and can bypass this, so it is only a second line of defense.
 */
function permissionFlags({ readableDir, writableDir }: LimitedProgram): string[] {
  if (!process.allowedNodeEnvironmentFlags.has('--permission')) {
    return [];
  }
  const folders = [...PROGRAM_FILES.codeFolders, resolve(readableDir)];
  for (let folder = PROGRAM_FILES.codeFolders[0]; ; folder = dirname(folder)) {
    for (const name of ['node_modules', 'package.json']) {
      if (existsSync(join(folder, name))) {
        folders.push(join(folder, name));
      }
    }
    if (dirname(folder) === folder) {
      break;
    }
  }
  return [
    '--permission',
    '--allow-addons',
    ...folders.map((folder) => `--allow-fs-read=${folder}`),
    ...(writableDir === undefined ? [] : [`--allow-fs-write=${resolve(writableDir)}`]),
  ];
}

function systemVariables(): NodeJS.ProcessEnv {
  // Returns memory to the system between files; see docs/run-a-cloud.md.
  const variables: NodeJS.ProcessEnv = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
  // Windows needs it to generate random numbers.
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? variables : { ...variables, SystemRoot };
}
