import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { EXIT, exitCodeOf, printFailure, UsageError } from './output/failure.ts';

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
  const json = args.includes('--json');
  const program = createProgram(interrupt.signal, json);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) {
        return 0;
      }
      // For people Commander has printed the sentence, or the help.
      if (json) {
        printFailure(new UsageError(sentenceOf(error)), json);
      }
      return EXIT.usage;
    }
    if (interrupt.signal.aborted) {
      return EXIT.interrupted;
    }
    printFailure(error, json);
    return exitCodeOf(error);
  }
}

const sentenceOf = ({ code, message }: CommanderError): string =>
  code === 'commander.help'
    ? 'Which command? "placard --help" says what there is.'
    : message.replace(/^error: /, '').replaceAll('\n', ' ');
