import { expect, test } from 'vitest';
import { english } from './english.ts';
import { chooseLanguage, localeFor } from './strings.ts';
import type { Language } from './strings.ts';

const OTHERS: Language[] = ['de', 'fr', 'es', 'ja'];

test.each([
  [['de-AT', 'en'], 'de'],
  [['pt-BR', 'fr-FR'], 'fr'],
  [['ja'], 'ja'],
  [['ES'], 'es'],
  [['pt', 'nl'], 'en'],
  [['constructor'], 'en'],
  [[], 'en'],
])('for the preferred languages %j it chooses %s', (wanted, language) => {
  expect(chooseLanguage(wanted)).toBe(language);
});

/** Every text of a language by its path; functions are called with placeholder arguments. */
function texts(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') {
    return new Map([[path, value]]);
  }
  if (typeof value === 'function') {
    const argument = path === '.fault' ? 'disk.full' : path.includes('.hints.') ? HINT_DETAILS : '‹fact›';
    return new Map([[path, String(value(argument))]]);
  }
  return new Map(Object.entries(value ?? {}).flatMap(([key, child]) => [...texts(child, `${path}.${key}`)]));
}
const HINT_DETAILS = { host: '‹host›', date: '‹date›' };

const placeholdersIn = (strings: unknown) =>
  [...texts(strings)].map(([path, text]) => [path, text.match(/‹\w+›/g) ?? [], text.trim() !== '']);

test.each(OTHERS)('%s has every text of English, with the same arguments in it', (language) => {
  expect(placeholdersIn(localeFor(language).strings)).toEqual(placeholdersIn(english));
});

test.each(OTHERS)('%s is not a copy of English', (language) => {
  const own = texts(localeFor(language).strings);
  const same = [...texts(english)].filter(([path, text]) => own.get(path) === text && text.length > 12);
  expect(same).toEqual([]);
});
