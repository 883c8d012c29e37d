import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IS_OF_THE_VERSION } from '../packages/cloud/src/domain/rollout-failures.ts';
import { english } from '../packages/console/src/rollouts/texts/english.ts';
import { FAILURE_DETAILS } from '../src/core/update/update-report.ts';

const linuxHelper = readFileSync('build/linux/placard-update', 'utf8');
const windowsHelper = readFileSync('build/windows/placard-update.ps1', 'utf8');
const windowsRefusals = /function Read-Request[^]*?\n\}\n/.exec(windowsHelper)?.[0] ?? '';

const allOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, code = '']) => code);

const CODES: readonly (readonly [of: string, codes: readonly string[]])[] = [
  ['the player', Object.keys(FAILURE_DETAILS)],
  ['the helper on Linux', allOf(linuxHelper, /(?:\breject |outcome=failed code=)(\w+)/g)],
  [
    'the helper on Windows',
    [
      ...allOf(windowsRefusals, /return '(\w+)'/g),
      ...allOf(windowsHelper, /(?:catch \{ |outcome = 'failed'; code = )'(\w+)'/g),
    ],
  ],
];

test.each([...CODES, ['the cloud', Object.keys(IS_OF_THE_VERSION)] as const])(
  'the console says in words why an update has failed, by each code of %s',
  (_, codes) => {
    expect(codes.length).toBeGreaterThan(8);
    expect(codes.filter((code) => !Object.hasOwn(english.codes, code))).toEqual([]);
  },
);

test.each(CODES)(
  'a rollout knows whether a failure is one of the version, by each code of %s',
  (_, codes) => {
    expect(codes.length).toBeGreaterThan(8);
    expect(codes.filter((code) => !Object.hasOwn(IS_OF_THE_VERSION, code))).toEqual([]);
  },
);
