/**
 * Makes the files of the corpus again, all or those that are named, and the table in `README.md`:
 * `node test/corpus/make.ts [name …]`. `README.md` says what it needs; the results are committed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CORPUS, FILES_DIR } from './corpus.ts';
import { others } from './make/others.ts';
import { pictures } from './make/pictures.ts';
import { videos } from './make/videos.ts';
import { README, readmeWithTable } from './table.ts';

const recipes = { ...videos, ...pictures, ...others };
const named = process.argv.slice(2);

await mkdir(FILES_DIR, { recursive: true });
for (const { name } of CORPUS.filter((file) => named.length === 0 || named.includes(file.name))) {
  const recipe = recipes[name];
  if (!recipe) {
    throw new Error(`${name} is in the list, but nothing makes it`);
  }
  await recipe(join(FILES_DIR, name));
}
await writeFile(README, await readmeWithTable());
