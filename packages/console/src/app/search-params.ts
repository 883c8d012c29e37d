/** The text of a parameter in the address; empty ones are left out of it. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** What is given of some texts of the address. */
export const texts = <K extends string>(search: Record<string, unknown>, ...names: readonly K[]) => {
  const given: Partial<Record<K, string | undefined>> = {};
  for (const name of names) {
    const value = text(search[name]);
    if (value !== undefined) {
      given[name] = value;
    }
  }
  return given;
};

/** Which pages of lists are shown; the first one is left out of the address. */
export const pages = <K extends string>(search: Record<string, unknown>, ...names: readonly K[]) => {
  const given: Partial<Record<K, number | undefined>> = {};
  for (const name of names) {
    const page = Number(search[name]);
    if (Number.isInteger(page) && page > 1) {
      given[name] = page;
    }
  }
  return given;
};

/** Whether a text is a day `YYYY-MM-DD`. */
export const isDay = (day: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));
