import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCycles, findFolderCycles, importGraph } from './support/import-graph.ts';
import { scanSource, sourceFiles } from './support/source-scan.ts';

const graph = importGraph(
  new Map(sourceFiles().map((file) => [file, scanSource(file, readFileSync(file, 'utf8')).imports])),
);

test('files import each other in no circle, types included', () => {
  expect(findCycles(graph)).toEqual([]);
});

test('folders import each other in no circle', () => {
  const withoutTests = new Map([...graph].filter(([file]) => !file.endsWith('.test.ts')));
  expect(findFolderCycles(withoutTests)).toEqual([]);
});

test.each([
  ['two files', { 'a.ts': ['./b.ts'], 'b.ts': ['./c.ts'], 'c.ts': ['./b.ts'] }, [['b.ts', 'c.ts']], []],
  [
    'two folders',
    { 'x/a/1.ts': ['../b/1.ts'], 'x/b/1.ts': [], 'x/b/2.ts': ['../a/2.ts'], 'x/a/2.ts': [] },
    [],
    [['x/a', 'x/b']],
  ],
  [
    'a folder and a file above it',
    { 'x/up.ts': ['./a/1.ts'], 'x/a/1.ts': [], 'x/a/2.ts': ['../up.ts'] },
    [],
    [['x/a', 'x/up.ts']],
  ],
  [
    'none: a file composes a folder, which imports another file',
    { 'x/main.ts': ['./a/1.ts'], 'x/a/1.ts': ['../shared.ts'], 'x/shared.ts': [] },
    [],
    [],
  ],
])('circles are found: %s', (_, imports, files, folders) => {
  const found = importGraph(new Map(Object.entries(imports)));
  expect(findCycles(found)).toEqual(files);
  expect(findFolderCycles(found)).toEqual(folders);
});
