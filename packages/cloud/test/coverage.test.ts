import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../../docs/api-coverage.md'), 'utf8');
const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

test('every test that the coverage page names exists', () => {
  const named = quoted.filter((text) => text.includes(' › '));
  const missing = named.filter((text) => {
    const [file = '', name = ''] = text.split(' › ');
    return !readFileSync(join(import.meta.dirname, `${file}.test.ts`), 'utf8').includes(name);
  });
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(90);
});

test('every operation has a row on the coverage page', () => {
  expect(Object.keys(operations).filter((id) => !quoted.includes(id))).toEqual([]);
});
