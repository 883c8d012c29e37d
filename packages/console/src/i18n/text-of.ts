/** The text for a word of the API; one that this console does not know is shown as it is, or as `other` says it. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  word: string,
  other = (unknown: string): string => unknown,
): string => (Object.hasOwn(texts, word) ? texts[word] : undefined) ?? other(word);
