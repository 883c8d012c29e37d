import { createContext, use } from 'react';
import { useLanguage } from './language.tsx';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Numbers and times as the language writes them. */
export function useFormat(): Format {
  const { language } = useLanguage();
  const timeZone = use(TimeZone);
  const key = `${language} ${timeZone}`;
  const format = FORMATS.get(key) ?? createFormat(language, timeZone);
  FORMATS.set(key, format);
  return format;
}

/** The zone of the organization, in which instants are shown; until it is known, that of the browser. */
export const TimeZone = createContext(Intl.DateTimeFormat().resolvedOptions().timeZone);

type Format = ReturnType<typeof createFormat>;

/** By language and zone. Each takes Intl a fraction of a millisecond, too long for every row of a list. */
const FORMATS = new Map<string, Format>();

function createFormat(language: string, timeZone: string) {
  const number = new Intl.NumberFormat(language);
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const unit = (value: number, name: 'second' | 'minute' | 'hour') =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit: name,
      unitDisplay: 'short',
      maximumFractionDigits: name === 'hour' && value < 10 ? 1 : 0,
    }).format(value);
  const short = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const full = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const inZone = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  const dayOnly = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  return {
    number: (value: number) => number.format(value),
    percent: (value: number) => `${number.format(Math.round(value))} %`,
    bytes: (value: number) =>
      value < 1e6
        ? `${number.format(Math.ceil(value / 1e3))} kB`
        : value < 1e9
          ? `${number.format(Math.round(value / 1e6))} MB`
          : `${number.format(Math.round(value / 1e8) / 10)} GB`,
    /** A length of time in its largest unit, hours at most. */
    duration: (seconds: number) =>
      seconds < 60
        ? unit(seconds, 'second')
        : seconds < 3600
          ? unit(seconds / 60, 'minute')
          : unit(seconds / 3600, 'hour'),
    /** So many minutes, in hours where that is exact: “90 minutes”, “2 hours”. */
    minutes: (count: number) =>
      new Intl.NumberFormat(language, {
        style: 'unit',
        unit: count > 0 && count % 60 === 0 ? 'hour' : 'minute',
        unitDisplay: 'long',
      }).format(count > 0 && count % 60 === 0 ? count / 60 : count),
    /** For example “5 minutes ago”. */
    ago: (iso: string, nowMs = Date.now()) => {
      const seconds = Math.round((Date.parse(iso) - nowMs) / 1000);
      const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS[3]!;
      return relative.format(Math.round(seconds / length), unit);
    },
    /** Date and time in the zone of the organization, with its name. */
    instant: (iso: string) => inZone.format(new Date(iso)),
    /** From one instant to another, in the zone of the organization. */
    span: (fromIso: string, toIso: string) => inZone.formatRange(new Date(fromIso), new Date(toIso)),
    /** The day `YYYY-MM-DD`. */
    day: (day: string) => dayOnly.format(Date.parse(`${day}T00:00:00Z`)),
    /** The time today, or date and time of another day, in the zone of the browser. */
    moment: (ms: number) => {
      const isToday = new Date(ms).toDateString() === new Date().toDateString();
      return (isToday ? short : full).format(ms);
    },
    /** Time, with the day where it is another one, in a zone. */
    clock: (iso: string, timeZone: string) =>
      new Intl.DateTimeFormat(language, {
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        timeZone,
      }).format(new Date(iso)),
  };
}
