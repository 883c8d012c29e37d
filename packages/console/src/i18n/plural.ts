/** What is said of a number: `#` stands for it. Categories that a language does not have are left out. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/**
 * Returns a function that says a number in the form that a language has for it, for example "1 store" and "1,200 stores".
 *
 * @param language a BCP 47 tag
 */
export function pluralsOf(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language);
  return (count, forms) =>
    (forms[rules.select(count)] ?? forms.other).replaceAll('#', () => number.format(count));
}
