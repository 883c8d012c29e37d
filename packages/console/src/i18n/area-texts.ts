import { use } from 'react';
import { preferredLanguage, useLanguage } from './language.tsx';
import type { Language } from './language.tsx';

/**
 * Resolves with a hook with the texts of one area, which are loaded with the first of its pages: all texts in one file would
 * make the first page slow. The files are `<area>/texts/<language>.ts`; the compiler finds missing keys.
 *
 * A module awaits it, so that its pages are rendered with their texts. A page that is rendered before waits for them in the
 * middle, and React shows it 300 ms later.
 *
 * @param load the texts of each language, for example `{ en: async () => (await import('./english.ts')).english, … }`
 */
export async function areaTexts<T>(load: Readonly<Record<Language, () => Promise<T>>>): Promise<() => T> {
  const loading = new Map<Language, Promise<T>>();
  const loaded = new Map<Language, T>();
  const loadOnce = (language: Language): Promise<T> => {
    const before = loading.get(language);
    if (before) {
      return before;
    }
    const texts = load[language]();
    loading.set(language, texts);
    texts.then(
      (value) => loaded.set(language, value),
      // "Try again" asks again.
      () => loading.delete(language),
    );
    return texts;
  };
  await loadOnce(preferredLanguage()).catch(() => {
    // The page asks again, and says so.
  });
  return function useTexts() {
    const { language } = useLanguage();
    return loaded.get(language) ?? use(loadOnce(language));
  };
}
