import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { identifiersIn, sourceFiles } from './support/source-scan.ts';

/** Words that once had a private meaning here, and the term of `docs/architecture.md` to use. */
const REPLACED: Readonly<Record<string, string>> = {
  affects: 'invalidateManifests',
  announce: 'publish',
  asker: 'client or caller',
  bell: 'wakeup',
  board: 'player state',
  calm: 'stable',
  carried: 'bundled',
  curtain: 'start hold',
  door: 'session auth',
  house: 'cloud and player',
  lineup: 'resolved rules',
  occupant: 'showing on a layer',
  patience: 'timeout',
  'play-draft': 'showing',
  programme: 'compiled manifest',
  reign: 'active interval',
  room: 'disk budget or space',
  scenery: 'fixtures',
  summons: 'menu shortcut',
  untold: 'not notified',
  voice: 'fault source',
  'way-to-cloud': 'connectivity check',
};

/** The parts of a name in camelCase, snake_case or kebab-case: `-play-draft-`. */
const partsOf = (name: string) =>
  `-${name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()}-`;

/** One of the words, or several of it. */
const REPLACED_WORD = new RegExp(`-(${Object.keys(REPLACED).join('|')})s?(?=-)`, 'g');

const found = new Map<string, string[]>();
const replacedWords = (name: string): string[] => {
  const words =
    found.get(name) ?? [...partsOf(name).matchAll(REPLACED_WORD)].flatMap(([, word]) => word ?? []);
  found.set(name, words);
  return words;
};

function violations(file: string, source: string): string[] {
  return [file, ...identifiersIn(file, source)].flatMap((name) =>
    replacedWords(name).map((word) => `${file}: ${name} says "${word}"; the word is ${REPLACED[word]}`),
  );
}

test('no name uses a word that was replaced', () => {
  const files = sourceFiles().filter((file) => file !== 'test/vocabulary.test.ts');
  expect(files.flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
  // Parses every file, while others use the processors.
}, 180_000);

test.each([
  ['src/core/x.ts', 'export const diskRoom = 1;'],
  ['src/core/x.ts', 'export interface PlayDraft {}'],
  ['src/core/x.ts', 'export const x = { wayToCloud: 1 };'],
  ['src/core/x.ts', 'export class X { #bells = 1; }'],
  ['src/core/lineup.ts', ''],
])('%s must not contain: %s', (file, source) => {
  expect(violations(file, source)).toHaveLength(1);
});

test('longer words and texts may contain them', () => {
  expect(violations('src/core/x.ts', "export const keyboard = 'board'; export const bathrooms = 1;")).toEqual(
    [],
  );
});
