import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'];
const ROOTS = /^(src|renderer|packages|test|scripts|docs|build|cloud|\.ci)\//;

/** Everything in backticks, and the targets of links, that must exist in the repository. */
function missingPaths(file: string, text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => ROOTS.test(path))
    .map((path) => path.replace(/^cloud\//, 'packages/cloud/src/'));
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
  return [...quoted, ...links].filter((path) => !existsSync(path) && globSync(path).length === 0);
}

const missingScripts = (text: string): string[] => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return [...text.matchAll(/npm run ([\w:-]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !(name in scripts));
};

test.each(DOCUMENTS)('the files and scripts that %s names exist', (file) => {
  const text = readFileSync(file, 'utf8');
  expect(missingPaths(file, text)).toEqual([]);
  expect(missingScripts(text)).toEqual([]);
});

test('a wrong path, link or script is found', () => {
  expect(missingPaths('docs/x.md', 'See `src/none.ts` and [it](none.md); `cloud/main.ts` exists.')).toEqual([
    'src/none.ts',
    'docs/none.md',
  ]);
  expect(missingScripts('npm run nothing')).toEqual(['nothing']);
});
