import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TRANSLATIONS } from './translations.ts';

const OTHER_LANGUAGES = Object.keys(TRANSLATIONS).filter((language) => language !== 'en');
const placeholdersIn = (words: object) =>
  Object.entries(words).map(([name, text]) => [name, String(text).match(/\{\w+\}/g) ?? [], text !== '']);

test('there are five languages', () => {
  expect(Object.keys(TRANSLATIONS)).toEqual(['en', 'de', 'fr', 'es', 'ja']);
});

test.each(OTHER_LANGUAGES)('%s says everything that English says, with the same facts in it', (language) => {
  expect(placeholdersIn(TRANSLATIONS[language]!)).toEqual(placeholdersIn(TRANSLATIONS['en']!));
});

test.each(OTHER_LANGUAGES)('%s is not English with another name', (language) => {
  const own = Object.entries(TRANSLATIONS[language]!);
  expect(
    own.filter(([name, text]) =>
      Object.entries(TRANSLATIONS['en']!).some(
        ([key, english]) => key === name && english === text && text.length > 12,
      ),
    ),
  ).toEqual([]);
});

test('every key that the page uses exists in the translations', () => {
  const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');
  const asked = [...page.matchAll(/data-word="(\w+)"/g)].map(([, name]) => name);
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((name) => !Object.hasOwn(TRANSLATIONS['en']!, name ?? ''))).toEqual([]);
});
