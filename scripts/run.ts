import { spawnSync } from 'node:child_process';

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Returns the output also when the program fails. */
  mayFail?: true;
  /** Prints the output, and returns none. */
  printOutput?: true;
}

/** Runs a program and returns what it printed; throws with its output when it fails. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): string {
  const { mayFail = false, printOutput = false, ...processOptions } = options;
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: printOutput ? 'inherit' : 'pipe',
    // On Windows npm is a script, which only a shell can run.
    shell: command === 'npm' && process.platform === 'win32',
    ...processOptions,
  });
  if (result.error) {
    throw result.error;
  }
  const stdout = result.stdout ?? '';
  if (result.status !== 0 && !mayFail) {
    const output = `${stdout}${result.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${command} ended with ${result.status ?? result.signal}:\n${output}`);
  }
  return stdout;
}

/** Those of these tools that are not installed. */
export const findMissingTools = (tools: readonly string[]): string[] =>
  tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);

/** Disk usage of a folder in KiB, the unit of `Installed-Size` in a package. */
export const folderSizeKb = (folder: string): number => Number.parseInt(run('du', ['-sk', folder]), 10);
