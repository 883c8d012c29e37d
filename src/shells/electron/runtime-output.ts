/** Where the runtime prints its log, beside the file of the log. */
export interface RuntimeOutput {
  stdio: 'inherit' | 'ignore';
  env: Record<string, string>;
}

/**
 * The log is also the player's output, which the journal keeps. On Windows a program with a window has no standard
 * output.
 */
export const runtimeOutput = (platform: string): RuntimeOutput =>
  platform === 'win32'
    ? { stdio: 'ignore', env: { PLACARD_LOG_OUTPUT: 'none' } }
    : { stdio: 'inherit', env: {} };
