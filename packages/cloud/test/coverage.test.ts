import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../../docs/api-coverage.md'), 'utf8');
const root = join(import.meta.dirname, '..');
/** Contents of the test files of the cloud, by base name. */
const tests = new Map<string, string>();
for (const path of globSync(['test/**/*.test.ts', 'src/**/*.test.ts'], { cwd: root })) {
  const name = basename(path).replace(/(\.[a-z]+)?\.test\.ts$/, '');
  tests.set(name, (tests.get(name) ?? '') + readFileSync(join(root, path), 'utf8'));
}
const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

test('every test that the coverage page names exists', () => {
  const named = quoted.filter((text) => text.includes(' › '));
  const missing = named.filter((text) => {
    const [file = '', name = ''] = text.split(' › ');
    return !tests.get(file)?.includes(name);
  });
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(90);
});

test('every operation has a row on the coverage page', () => {
  expect(Object.keys(operations).filter((id) => !quoted.includes(id))).toEqual([]);
});
