import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Commands of an installation document: the lines of the `sh` block that follows `<!-- test:machine NAME -->`, without
 * comments. Throws when the document has no such block.
 */
export function documentedCommands(document: string, name: string): string[] {
  const text = readFileSync(join(REPOSITORY, 'docs', document), 'utf8');
  const marker = `<!-- test:machine ${name} -->`;
  const [, after] = text.split(marker);
  const block = after === undefined ? null : /^\s*```sh\n([\s\S]*?)\n\s*```/.exec(after);
  if (!block) {
    throw new Error(`docs/${document} has no block of commands after ${marker}`);
  }
  return block[1]!
    .split('\n')
    .map((line) => line.replace(/\s+#\s.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
