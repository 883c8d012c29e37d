import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { CONSOLE_SOURCES } from '../scripts/build-console.ts';
import { scanSource } from './support/source-scan.ts';

/** The files of the project that a file imports. */
function importsOf(file: string): string[] {
  const imports =
    file.endsWith('.ts') || file.endsWith('.tsx') ? scanSource(file, readFileSync(file, 'utf8')).imports : [];
  return imports.flatMap((specifier) => {
    const [, workspace, entry = ''] = /^@placard\/(\w+)(\/\w+)?$/.exec(specifier) ?? [];
    if (workspace !== undefined) {
      return globSync(`packages/${workspace}/src${entry}{/index.ts,.ts}`);
    }
    return specifier.startsWith('.') ? [posix.join(posix.dirname(file), specifier)] : [];
  });
}

test('the console is built again when a file changes that it imports', () => {
  const imported = new Set(
    globSync('packages/console/src/**/*.{ts,tsx}').filter((file) => !file.includes('.test.')),
  );
  for (const file of imported) {
    importsOf(file).forEach((each) => imported.add(each));
  }
  expect(imported).toContain('packages/protocol/src/faults.ts');
  const sources = new Set(globSync(CONSOLE_SOURCES));
  expect([...imported].filter((file) => !sources.has(file))).toEqual([]);
});
