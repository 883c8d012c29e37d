import { useMemo } from 'react';
import { useLanguage } from './language.tsx';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Numbers and times as the language writes them. */
export function useFormat() {
  const { language } = useLanguage();
  return useMemo(() => {
    const number = new Intl.NumberFormat(language);
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    const full = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
    return {
      number: (value: number) => number.format(value),
      percent: (value: number) => `${number.format(Math.round(value))} %`,
      bytes: (value: number) =>
        value < 1e6
          ? `${number.format(Math.ceil(value / 1e3))} kB`
          : value < 1e9
            ? `${number.format(Math.round(value / 1e6))} MB`
            : `${number.format(Math.round(value / 1e8) / 10)} GB`,
      /** For example “5 minutes ago”. */
      ago: (iso: string, nowMs = Date.now()) => {
        const seconds = Math.round((Date.parse(iso) - nowMs) / 1000);
        const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS[3]!;
        return relative.format(Math.round(seconds / length), unit);
      },
      /** Date and time in the zone of the browser. */
      instant: (iso: string) => full.format(new Date(iso)),
      /** Time, with the day where it is another one, in a zone. */
      clock: (iso: string, timeZone: string) =>
        new Intl.DateTimeFormat(language, {
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
          timeZone,
        }).format(new Date(iso)),
    };
  }, [language]);
}
