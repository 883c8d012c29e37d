import { expect, it } from 'vitest';
import { english } from './english.ts';
import { chooseLanguage, wordsOf, type Language } from './strings.ts';

const OTHERS: Language[] = ['de', 'fr', 'es', 'ja'];

it.each([
  [['de-AT', 'en'], 'de'],
  [['pt-BR', 'fr-FR'], 'fr'],
  [['ja'], 'ja'],
  [['ES'], 'es'],
  [['pt', 'nl'], 'en'],
  [['constructor'], 'en'],
  [[], 'en'],
])('of the wanted languages %j it speaks %s', (wanted, language) => {
  expect(chooseLanguage(wanted)).toBe(language);
});

/** Every text of a language by its path; functions are called with marked facts. */
function texts(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]]);
  if (typeof value === 'function') {
    const facts = path === '.fault' ? 'disk.full' : path.includes('.hints.') ? HINT_FACTS : '‹fact›';
    return new Map([[path, String(value(facts))]]);
  }
  return new Map(Object.entries(value ?? {}).flatMap(([key, child]) => [...texts(child, `${path}.${key}`)]));
}
const HINT_FACTS = { host: '‹host›', date: '‹date›' };

const factsIn = (strings: unknown) =>
  [...texts(strings)].map(([path, text]) => [path, text.match(/‹\w+›/g) ?? [], text.trim() !== '']);

it.each(OTHERS)('%s says everything that English says, with the same facts in it', (language) => {
  expect(factsIn(wordsOf(language).strings)).toEqual(factsIn(english));
});

it.each(OTHERS)('%s is not English with another name', (language) => {
  const own = texts(wordsOf(language).strings);
  const same = [...texts(english)].filter(([path, text]) => own.get(path) === text && text.length > 12);
  expect(same).toEqual([]);
});
