import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { expect, test } from 'vitest';
import { FAILURE_DETAILS } from '../../src/core/update/update-report.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const codes = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].map(([, code]) => code!);
const operations = read('docs/operations.md');

test('docs/operations.md lists every fault with its help text', () => {
  const [section = ''] = operations.slice(operations.indexOf('## Faults') + 1).split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(Object.entries(FAULTS).map(([code, help]) => `| \`${code}\` | ${help} |`));
});

test('docs/operations.md lists every code of the update helper and of the update check', () => {
  const helper = codes('build/linux/placard-update', /(?:reject|code=)\s?([a-z_]{4,})/g);
  const outcomes = codes('src/core/update/update-report.ts', /^ {2}\| '([a-z_]+)'/gm);
  expect(helper.length).toBeGreaterThan(15);
  expect(outcomes).toHaveLength(7);
  for (const code of [...helper, ...outcomes, ...Object.keys(FAILURE_DETAILS)]) {
    expect(operations).toContain(`\`${code}\``);
  }
});
