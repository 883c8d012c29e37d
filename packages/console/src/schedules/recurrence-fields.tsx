import { DAY_CODES } from '../i18n/weekdays.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { WeekdayToggles } from '../ui/weekday-toggles.tsx';
import { readRecurrence, writeRecurrence } from './recurrence-text.ts';
import type { Recurrence } from './recurrence-text.ts';
import { useTexts } from './texts.ts';

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

/** Fields for the usual recurrences, above the text of any. */
export function RecurrenceFields({
  text,
  error,
  onChange,
}: {
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
}) {
  const texts = useTexts();
  const read = readRecurrence(text);
  return (
    <div className="flex flex-col gap-3">
      {read ? (
        <Builder recurrence={read} onChange={(to) => onChange(writeRecurrence(to))} />
      ) : (
        <p className="text-muted">{texts.byHand}</p>
      )}
      <TextField
        label={texts.rrule}
        value={text}
        maxLength={2000}
        spellCheck={false}
        autoComplete="off"
        className="font-mono"
        error={error}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function Builder({
  recurrence,
  onChange,
}: {
  recurrence: Recurrence;
  onChange: (recurrence: Recurrence) => void;
}) {
  const texts = useTexts();
  const { freq, interval, weekdays, monthDays } = recurrence;
  const nth = weekdays[0]?.nth ?? 0;
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={texts.every}
          type="number"
          min={1}
          max={100}
          value={interval}
          onChange={(event) =>
            onChange({ ...recurrence, interval: Math.max(1, Math.trunc(event.target.valueAsNumber) || 1) })
          }
        />
        <SelectField
          label={texts.repeats}
          value={freq}
          onChange={(event) => {
            const to = FREQUENCIES.find((each) => each === event.target.value) ?? 'WEEKLY';
            const isCounted = to === 'MONTHLY' || to === 'YEARLY';
            onChange({
              ...recurrence,
              freq: to,
              monthDays: isCounted ? monthDays : [],
              weekdays: isCounted ? weekdays : weekdays.map((each) => ({ ...each, nth: 0 })),
            });
          }}
        >
          {FREQUENCIES.map((each) => (
            <option key={each} value={each}>
              {texts.unit[each]}
            </option>
          ))}
        </SelectField>
      </div>
      {freq !== 'DAILY' && (
        <WeekdayToggles
          label={texts.onDays}
          chosen={weekdays.flatMap(({ weekday }) => DAY_CODES[weekday] ?? [])}
          onChange={(days) =>
            onChange({
              ...recurrence,
              weekdays: days.map((day) => ({ weekday: DAY_CODES.indexOf(day), nth })),
            })
          }
        />
      )}
      {freq === 'MONTHLY' && weekdays.length > 0 && (
        <SelectField
          label={texts.whichOfMonth}
          value={nth}
          onChange={(event) =>
            onChange({
              ...recurrence,
              weekdays: weekdays.map(({ weekday }) => ({ weekday, nth: Number(event.target.value) })),
            })
          }
        >
          {[0, 1, 2, 3, 4, -1].map((each) => (
            <option key={each} value={each}>
              {each === 0 ? texts.each : each === -1 ? texts.last : `${each}.`}
            </option>
          ))}
        </SelectField>
      )}
      {(freq === 'MONTHLY' || freq === 'YEARLY') && (
        <TextField
          key={freq}
          label={texts.monthDays}
          hint={texts.monthDaysHint}
          defaultValue={monthDays.join(', ')}
          onBlur={(event) => {
            const days = event.target.value.split(',').map((day) => Number(day.trim()));
            onChange({
              ...recurrence,
              monthDays: days.filter((day) => Number.isInteger(day) && day !== 0 && Math.abs(day) <= 31),
            });
          }}
        />
      )}
    </>
  );
}
