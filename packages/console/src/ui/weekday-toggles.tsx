import { useLanguage } from '../i18n/language.tsx';
import { DAY_CODES, weekdayNames } from '../i18n/weekdays.ts';
import type { DayCode } from '../i18n/weekdays.ts';

/** Days of the week of which some are chosen. */
export function WeekdayToggles({
  label,
  chosen,
  onChange,
}: {
  label: string;
  chosen: readonly DayCode[];
  /** In the order of the week. */
  onChange: (chosen: DayCode[]) => void;
}) {
  const { language } = useLanguage();
  const short = weekdayNames(language, 'short');
  const long = weekdayNames(language, 'long');
  return (
    <div role="group" aria-label={label} className="grid grid-cols-7 gap-1">
      {DAY_CODES.map((day, index) => {
        const isChosen = chosen.includes(day);
        return (
          <button
            key={day}
            type="button"
            aria-pressed={isChosen}
            title={long[index]}
            onClick={() =>
              onChange(DAY_CODES.filter((each) => (each === day ? !isChosen : chosen.includes(each))))
            }
            className={`h-9 min-w-0 rounded-lg border text-sm pointer-coarse:h-11 ${isChosen ? 'border-accent bg-accent text-on-accent' : 'border-line bg-panel text-text'}`}
          >
            {short[index]}
          </button>
        );
      })}
    </div>
  );
}
