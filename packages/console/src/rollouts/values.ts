import type { RolloutComparison } from '@placard/client';
import { useFormat } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.tsx';
import { kindText } from './kind-text.ts';
import type { Kind } from './kind-text.ts';
import { useTexts } from './texts.ts';

export type Measure = RolloutComparison['kinds'][number]['measures'][number]['measure'];

const DAY_HOURS = 24;

/** Says numbers of rollouts as the language writes them. */
export function useValues() {
  const { language } = useLanguage();
  const format = useFormat();
  const texts = useTexts();
  const about = (value: number, options: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(language, {
      ...options,
      ...(value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 }),
    }).format(value);
  return {
    /** A share of the screens. */
    share: (percent: number) => `${format.number(percent)} %`,
    /** A length of time, in days where that is exact. */
    hours: (count: number) => {
      const isDays = count % DAY_HOURS === 0;
      return new Intl.NumberFormat(language, {
        style: 'unit',
        unit: isDays ? 'day' : 'hour',
        unitDisplay: 'long',
      }).format(isDays ? count / DAY_HOURS : count);
    },
    /** The value of a measure, to two digits. */
    measured(measure: Measure, value: number): string {
      switch (measure) {
        case 'dropped_frames':
          return `${about(value * 100)} %`;
        case 'start_time':
          return about(value / 1000, { style: 'unit', unit: 'second', unitDisplay: 'short' });
        case 'restarts':
        case 'faults':
        default:
          return about(value);
      }
    },
    kind: (kind: Kind): string => kindText(texts, kind),
  };
}
