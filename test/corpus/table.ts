import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CORPUS } from './corpus.ts';
import type { CorpusFile } from './corpus-file.ts';

export const README = join(import.meta.dirname, 'README.md');
const HEAD = '| File | What it is | Where such files come from | Expected |\n|---|---|---|---|\n';

/** The text of `README.md` with the table of all files at its end. */
export async function readmeWithTable(): Promise<string> {
  const text = await readFile(README, 'utf8');
  const [introduction = ''] = text.split(HEAD);
  return introduction + HEAD + CORPUS.map((file) => `${rowOf(file)}\n`).join('');
}

function rowOf({ name, is, from, answer }: CorpusFile): string {
  const expected =
    'reason' in answer
      ? `refused, \`${answer.reason}\`: ${answer.message}`
      : `plays, ${answer.width} × ${answer.height}${answer.duration === null ? '' : `, ${answer.duration} s`}`;
  return `| \`${name}\` | ${is} | ${from} | ${expected} |`;
}
