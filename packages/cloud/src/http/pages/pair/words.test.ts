import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WORDS } from './words.ts';

const OTHERS = Object.keys(WORDS).filter((language) => language !== 'en');
const factsIn = (words: object) =>
  Object.entries(words).map(([name, text]) => [name, String(text).match(/\{\w+\}/g) ?? [], text !== '']);

test('there are five languages', () => {
  expect(Object.keys(WORDS)).toEqual(['en', 'de', 'fr', 'es', 'ja']);
});

test.each(OTHERS)('%s says everything that English says, with the same facts in it', (language) => {
  expect(factsIn(WORDS[language]!)).toEqual(factsIn(WORDS['en']!));
});

test.each(OTHERS)('%s is not English with another name', (language) => {
  const own = Object.entries(WORDS[language]!);
  expect(
    own.filter(([name, text]) =>
      Object.entries(WORDS['en']!).some(
        ([key, english]) => key === name && english === text && text.length > 12,
      ),
    ),
  ).toEqual([]);
});

test('the page asks for no word that there is not', () => {
  const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');
  const asked = [...page.matchAll(/data-word="(\w+)"/g)].map(([, name]) => name);
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((name) => !Object.hasOwn(WORDS['en']!, name ?? ''))).toEqual([]);
});
