import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { WITHOUT_DECODER } from './messages.ts';

const MAIN = resolve(import.meta.dirname, 'child/main.ts');
const SHELL = '/bin/sh';
/** Most of the JavaScript heap, MiB; the rest of the memory is of libvips and FFmpeg. */
const HEAP_MIB = 256;
/**
 * A second brake beside the parent's look at the memory, for what grows faster than it looks. Counts address space that
 * can be written, of which Node reserves about 700 MB that it never touches.
 */
const DATA_KB = 1_310_720;
/** CPU seconds of one process: ends what hangs where nothing else does. */
const CPU_S = 600;
/**
 * No core file, the limits above, the first to go when the machine runs out of memory, and gone with its cloud: a thread
 * that hangs does not hear that the cloud was killed. Not every system has this `setpriv`.
 */
const LIMITED =
  `ulimit -c 0; ulimit -t ${CPU_S}; ulimit -d ${DATA_KB}; ` +
  'echo 1000 2>/dev/null >/proc/self/oom_score_adj; ' +
  'if setpriv --pdeathsig KILL true 2>/dev/null; then exec setpriv --pdeathsig KILL "$0" "$@"; else exec "$0" "$@"; fi';

/** Starts the process that looks at files, with as few rights and resources as it needs. */
export function spawnLimited(readable: string, decoder: boolean): ChildProcess {
  const flags = [
    '--no-warnings',
    `--max-old-space-size=${HEAP_MIB}`,
    '--max-semi-space-size=8',
    ...permissions(readable),
    MAIN,
    ...(decoder ? [] : [WITHOUT_DECODER]),
  ];
  const options = {
    // No variable of the cloud: they may hold its Admin key.
    env: systemVariables(),
    cwd: dirname(MAIN),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'] satisfies ('ignore' | 'pipe' | 'ipc')[],
    windowsHide: true,
  };
  return existsSync(SHELL)
    ? spawn(SHELL, ['-c', LIMITED, process.execPath, ...flags], options)
    : spawn(process.execPath, flags, options);
}

/**
 * Reading our code, the libraries and the media; no writing, no processes, no threads of JavaScript. Native libraries
 * have to be allowed, and stand above this: it is a second fence, not the first.
 */
function permissions(readable: string): string[] {
  if (!process.allowedNodeEnvironmentFlags.has('--permission')) return [];
  const folders = [resolve(import.meta.dirname, '../..'), resolve(readable)];
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    for (const name of ['node_modules', 'package.json'])
      if (existsSync(join(folder, name))) folders.push(join(folder, name));
    if (dirname(folder) === folder) break;
  }
  return ['--permission', '--allow-addons', ...folders.map((folder) => `--allow-fs-read=${folder}`)];
}

function systemVariables(): NodeJS.ProcessEnv {
  // Memory goes back to the system between files; see docs/run-a-cloud.md.
  const variables: NodeJS.ProcessEnv = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
  // Without it Windows finds no random numbers.
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? variables : { ...variables, SystemRoot };
}
