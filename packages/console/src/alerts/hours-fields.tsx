import type { OpeningHours } from '@placard/client';
import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { WeekdayToggles } from '../ui/weekday-toggles.tsx';
import { useTexts } from './texts.ts';

/** As many as the API takes. */
const MAX_SPANS = 21;
const FIRST: OpeningHours = {
  days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  start_time: '09:00',
  end_time: '20:00',
};

/** The hours in which a rule opens alerts; null is always. */
export function HoursFields({
  value,
  onChange,
  errors,
}: {
  value: readonly OpeningHours[] | null;
  onChange: (value: readonly OpeningHours[] | null) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const texts = useTexts();
  const change = (index: number, changed: Partial<OpeningHours>) =>
    onChange((value ?? []).map((each, at) => (at === index ? { ...each, ...changed } : each)));
  return (
    <>
      <SelectField
        label={texts.hours}
        value={value === null ? 'always' : 'hours'}
        onChange={({ target }) => onChange(target.value === 'always' ? null : [FIRST])}
        hint={value === null ? undefined : texts.hoursHint}
        error={errors['opening_hours']}
      >
        <option value="always">{texts.hoursAlways}</option>
        <option value="hours">{texts.hoursOnly}</option>
      </SelectField>
      {value?.map((span, index) => (
        <SpanFields
          // Spans have no name of their own, and nothing is kept in a row.
          key={index}
          span={span}
          errors={errors}
          path={`opening_hours.${index}`}
          onChange={(changed) => change(index, changed)}
          onRemove={value.length > 1 ? () => onChange(value.filter((_, at) => at !== index)) : null}
        />
      ))}
      {value !== null && value.length < MAX_SPANS && (
        <Button className="self-start" onClick={() => onChange([...value, { ...FIRST, days: ['SUN'] }])}>
          {texts.addHours}
        </Button>
      )}
    </>
  );
}

function SpanFields({
  span,
  errors,
  path,
  onChange,
  onRemove,
}: {
  span: OpeningHours;
  errors: Readonly<Record<string, string>>;
  path: string;
  onChange: (changed: Partial<OpeningHours>) => void;
  onRemove: (() => void) | null;
}) {
  const texts = useTexts();
  const groupId = useId();
  const isOverNight = span.end_time <= span.start_time;
  return (
    <div
      role="group"
      aria-labelledby={groupId}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3"
    >
      <span id={groupId} className="sr-only">
        {texts.hoursOnly}
      </span>
      <WeekdayToggles
        label={texts.days}
        chosen={span.days}
        onChange={(days) => days.length > 0 && onChange({ days })}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={texts.hoursFrom}
          type="time"
          required
          value={span.start_time}
          error={errors[`${path}.start_time`]}
          onChange={({ target }) => target.value !== '' && onChange({ start_time: target.value })}
        />
        <TextField
          label={texts.hoursTo}
          type="time"
          required
          value={span.end_time === '24:00' ? '00:00' : span.end_time}
          hint={isOverNight ? texts.onTheNextDay : undefined}
          error={errors[`${path}.end_time`]}
          onChange={({ target }) => target.value !== '' && onChange({ end_time: target.value })}
        />
      </div>
      {onRemove && (
        <Button look="quiet" className="self-end" onClick={onRemove}>
          {texts.remove}
        </Button>
      )}
    </div>
  );
}
