import { createContext, use, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { english } from './english.ts';
import type { Messages } from './english.ts';

/** The other languages are loaded when they are chosen. */
const LANGUAGES = {
  en: { name: 'English', load: async () => english },
  de: { name: 'Deutsch', load: async () => (await import('./german.ts')).german },
  fr: { name: 'Français', load: async () => (await import('./french.ts')).french },
  es: { name: 'Español', load: async () => (await import('./spanish.ts')).spanish },
  ja: { name: '日本語', load: async () => (await import('./japanese.ts')).japanese },
} satisfies Record<string, { name: string; load: () => Promise<Messages> }>;
export type Language = keyof typeof LANGUAGES;

const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text);

/** Each with its own name. */
export const LANGUAGE_NAMES: readonly (readonly [Language, string])[] = Object.keys(LANGUAGES)
  .filter(isLanguage)
  .map((code) => [code, LANGUAGES[code].name]);

const STORED = 'placard.language';

/** The chosen language, or the first of the browser that there are texts in. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find(isLanguage) ?? 'en';
}

export const loadMessages = (language: Language): Promise<Messages> => LANGUAGES[language].load();

interface Chosen {
  language: Language;
  messages: Messages;
  choose: (language: Language) => void;
}

const Context = createContext<Chosen | null>(null);

function useChosen(): Chosen {
  const chosen = use(Context);
  if (chosen === null) {
    throw new Error('a component that shows texts must be inside LanguageProvider');
  }
  return chosen;
}

export const useMessages = (): Messages => useChosen().messages;
export const useLanguage = () => useChosen();

/** Provides the texts of a language, whose first ones are loaded before the page is rendered. */
export function LanguageProvider({
  first,
  children,
}: {
  first: Omit<Chosen, 'choose'>;
  children: ReactNode;
}) {
  const [{ language, messages }, setChosen] = useState(first);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(
    () => ({
      language,
      messages,
      choose: (next: Language) => {
        localStorage.setItem(STORED, next);
        void loadMessages(next).then((loaded) => setChosen({ language: next, messages: loaded }));
      },
    }),
    [language, messages],
  );
  return <Context value={value}>{children}</Context>;
}
