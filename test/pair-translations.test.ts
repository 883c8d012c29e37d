import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TRANSLATIONS } from '../packages/console/src/pairing/translations.ts';

const { en: english, ...others } = TRANSLATIONS;
const OTHER_LANGUAGES = Object.entries(others);
const placeholdersIn = (words: object) =>
  Object.entries(words).map(([name, text]) => [name, String(text).match(/\{\w+\}/g) ?? [], text !== '']);

test('there are five languages', () => {
  expect(Object.keys(TRANSLATIONS)).toEqual(['en', 'de', 'fr', 'es', 'ja']);
});

test.each(OTHER_LANGUAGES)('%s has the same placeholders as English', (_, translation) => {
  expect(placeholdersIn(translation)).toEqual(placeholdersIn(english));
});

test.each(OTHER_LANGUAGES)('%s is not English under another name', (_, translation) => {
  const own = Object.entries(translation);
  expect(
    own.filter(([name, text]) =>
      Object.entries(english).some(([key, english]) => key === name && english === text && text.length > 12),
    ),
  ).toEqual([]);
});

test('every key that the page uses exists in the translations', () => {
  const page = readFileSync(new URL('../packages/console/pair.html', import.meta.url), 'utf8');
  const asked = [...page.matchAll(/data-word="(\w+)"/g)].map(([, name]) => name);
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((name) => !Object.hasOwn(english, name ?? ''))).toEqual([]);
});
