import { join } from 'node:path';

/** Where the runtime writes its log. */
export interface RuntimeOutput {
  stdio: 'inherit' | 'ignore';
  env: Record<string, string>;
}

/**
 * On Windows a program with a window has no standard output, so the runtime's log would be lost: it goes to
 * `<data>/logs/runtime.log`. Elsewhere it is the player's output, which the journal keeps.
 */
export const runtimeOutput = (platform: string, dataDir: string): RuntimeOutput =>
  platform === 'win32'
    ? { stdio: 'ignore', env: { PLACARD_LOG_FILE: join(dataDir, 'logs', 'runtime.log') } }
    : { stdio: 'inherit', env: {} };
