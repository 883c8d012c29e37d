import type { FieldName } from '../conditions.ts';

/** What is said of a condition. */
export interface ConditionTexts {
  /** In the list to choose from. */
  name: string;
  /** Below the list, if more needs to be said. */
  hint?: string;
  /** The whole condition, given what its fields have; a field that does not matter has nothing. */
  words: (value: (field: FieldName) => string) => string;
  /** What to do about it. */
  advice: string;
}

/** The text after the one before it; nothing if it is empty. */
export const after = (before: string, text: string): string => (text === '' ? '' : `${before}${text}`);
