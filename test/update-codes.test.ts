import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { english } from '../packages/console/src/rollouts/texts/english.ts';
import { FAILURE_DETAILS } from '../src/core/update/update-report.ts';

const linuxHelper = readFileSync('build/linux/placard-update', 'utf8');
const windowsHelper = readFileSync('build/windows/placard-update.ps1', 'utf8');
const windowsRefusals = /function Read-Request[^]*?\n\}\n/.exec(windowsHelper)?.[0] ?? '';

const allOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, code = '']) => code);

test.each([
  ['the player', Object.keys(FAILURE_DETAILS)],
  ['the helper on Linux', allOf(linuxHelper, /(?:\breject |outcome=failed code=)(\w+)/g)],
  [
    'the helper on Windows',
    [
      ...allOf(windowsRefusals, /return '(\w+)'/g),
      ...allOf(windowsHelper, /(?:catch \{ |outcome = 'failed'; code = )'(\w+)'/g),
    ],
  ],
])('the console says in words why an update has failed, by each code of %s', (_, codes) => {
  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => !Object.hasOwn(english.codes, code))).toEqual([]);
});
