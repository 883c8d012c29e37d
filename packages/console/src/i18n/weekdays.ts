/** As the API names the days of the week, from Monday. */
export const DAY_CODES = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type DayCode = (typeof DAY_CODES)[number];

/** Names of the weekdays from Monday. */
export const weekdayNames = (language: string, weekday: 'long' | 'short'): string[] => {
  const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' });
  return DAY_CODES.map((_, day) => format.format(Date.UTC(2024, 0, 1 + day)));
};
