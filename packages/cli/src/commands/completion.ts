import type { Command } from 'commander';
import { completionScript, isShell, SHELLS } from '../completion-script.ts';
import { UsageError } from '../output/failure.ts';

export function addCompletionCommand(program: Command): void {
  program
    .command('completion <shell>')
    .description(`print the completion for ${SHELLS.join(', ')}: source <(placard completion bash)`)
    .action((shell: string) => {
      if (!isShell(shell)) {
        throw new UsageError(`A shell is ${SHELLS.join(', ')}.`);
      }
      process.stdout.write(completionScript(shell, wordsOf(program)));
    });
}

/** What can follow each command: its subcommands and options. */
function wordsOf(command: Command, path = ''): Map<string, string[]> {
  const words = [
    ...command.commands.map((each) => each.name()),
    ...command.options.map(({ long }) => long).filter((long) => typeof long === 'string'),
    '--help',
  ];
  const below = command.commands.flatMap((each) => [...wordsOf(each, `${path} ${each.name()}`.trim())]);
  return new Map([[path, words], ...below]);
}
