import { FAULTS } from '@placard/protocol';
import type { DisplaySettings, FaultCode } from '@placard/protocol';
import { english } from './english.ts';
import type { Strings } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { spanish } from './spanish.ts';

export type { Strings } from './english.ts';

export type Language = DisplaySettings['language'];

/** The texts and formatting rules of one language. */
export interface Locale {
  language: Language;
  direction: 'ltr' | 'rtl';
  strings: Strings;
}

const LANGUAGES: Record<Language, Omit<Locale, 'language'>> = {
  en: { direction: 'ltr', strings: english },
  de: { direction: 'ltr', strings: german },
  fr: { direction: 'ltr', strings: french },
  es: { direction: 'ltr', strings: spanish },
  ja: { direction: 'ltr', strings: japanese },
};

export const localeFor = (language: Language): Locale => ({ language, ...LANGUAGES[language] });

const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/** The first of the preferred languages (BCP 47) that is supported, else English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-', 1)[0]!;
    if (isLanguage(language)) {
      return language;
    }
  }
  return 'en';
}

const isFaultCode = (code: string): code is FaultCode => Object.hasOwn(FAULTS, code);

/** What is wrong and what to do; null for an unknown code. */
export const faultText = ({ strings }: Locale, code: string): string | null =>
  isFaultCode(code) ? strings.fault(code) : null;
