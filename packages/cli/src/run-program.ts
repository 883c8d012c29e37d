import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { EXIT, exitCodeOf, printFailure } from './output/failure.ts';

/** Runs one command; resolves to the exit code of the process. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupt.abort(new Error('interrupted')));
  }
  // A reader that closes the pipe, such as `head`, has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  const program = createProgram(interrupt.signal);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the sentence, or the help.
      return error.exitCode === 0 ? 0 : EXIT.usage;
    }
    if (interrupt.signal.aborted) {
      return EXIT.interrupted;
    }
    printFailure(error, args.includes('--json'));
    return exitCodeOf(error);
  }
}
