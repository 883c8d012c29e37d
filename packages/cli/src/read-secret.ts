import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './output/failure.ts';

/** A line of the standard input; on a terminal it is asked for, and what is typed is not shown. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (stdin.isTTY) {
    stderr.write(question);
  }
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  try {
    for await (const line of lines) {
      if (line.trim() !== '') {
        return line.trim();
      }
    }
  } finally {
    lines.close();
    if (stdin.isTTY) {
      stderr.write('\n');
    }
  }
  throw new UsageError('There was no key on the standard input.');
}
