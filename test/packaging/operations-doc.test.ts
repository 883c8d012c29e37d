import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const operations = read('docs/operations.md');

test('docs/operations.md lists every fault with its help text', () => {
  const [section = ''] = operations.slice(operations.indexOf('## Faults') + 1).split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(Object.entries(FAULTS).map(([code, help]) => `| \`${code}\` | ${help} |`));
});

test('docs/operations.md lists every code of the update helper and of the update check', () => {
  const helper = [...read('build/linux/placard-update').matchAll(/(?:reject|code=)\s?([a-z_]{4,})/g)];
  const check = [...read('src/core/update/update-report.ts').matchAll(/^ {2}\| '([a-z_]+)'/gm)];
  expect(helper.length).toBeGreaterThan(15);
  // Ten failures of the update check, seven other outcomes.
  expect(check.length).toBe(17);
  for (const [, code] of [...helper, ...check]) {
    expect(operations).toContain(`\`${code}\``);
  }
});
