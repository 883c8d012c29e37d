import { use } from 'react';
import { useLanguage } from './language.tsx';
import type { Language } from './language.tsx';

/**
 * Returns a hook with the texts of one area, which are loaded with the first of its pages: all texts in one file would
 * make the first page slow. The files are `<area>/texts/<language>.ts`; the compiler finds missing keys.
 *
 * @param load the texts of each language, for example `{ en: async () => (await import('./english.ts')).english, … }`
 */
export function areaTexts<T>(load: Readonly<Record<Language, () => Promise<T>>>): () => T {
  const loaded = new Map<Language, Promise<T>>();
  const loadOnce = (language: Language): Promise<T> => {
    const before = loaded.get(language);
    if (before) {
      return before;
    }
    const texts = load[language]();
    loaded.set(language, texts);
    // "Try again" asks again.
    texts.catch(() => loaded.delete(language));
    return texts;
  };
  return function useTexts() {
    return use(loadOnce(useLanguage().language));
  };
}
