import { spawnSync } from 'node:child_process';

/** Runs a program and returns what it printed; throws with its output when it fails. */
export function run(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): string {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });
  if (result.error) {
    throw result.error;
  }
  if (result.status !== 0) {
    const output = `${result.stdout}${result.stderr}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${command} ended with ${result.status ?? result.signal}:\n${output}`);
  }
  return result.stdout;
}

/** Those of these tools that are not installed. */
export const findMissingTools = (tools: readonly string[]): string[] =>
  tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);

/** Disk usage of a folder in KiB, the unit of `Installed-Size` in a package. */
export const folderSizeKb = (folder: string): number => Number.parseInt(run('du', ['-sk', folder]), 10);
