import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { hasGraphics } from './graphics.ts';

function devices(...names: string[]): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'dri'));
  for (const name of names) {
    writeFileSync(join(folder, name), '');
  }
  return folder;
}

test.each([
  { has: ['dri/card0', 'dri/renderD128'], draws: true },
  { has: ['dri/card0', 'nvidia0'], draws: true },
  { has: ['dri/card0', 'mali0'], draws: true },
  { has: ['dri/card0', 'null', 'tty0'], draws: false },
])('$has: $draws', ({ has, draws }) => {
  expect(hasGraphics(devices(...has))).toBe(draws);
});

test('leaves the decision to the browser where nothing is known', () => {
  expect(hasGraphics(tempDir())).toBe(true);
});
