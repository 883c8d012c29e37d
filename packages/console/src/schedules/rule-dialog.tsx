import { useLanguage } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { WeekdayToggles } from '../ui/weekday-toggles.tsx';
import { RecurrenceFields } from './recurrence-fields.tsx';
import { dateWords, describeRule } from './rule-words.ts';
import type { DraftRule } from './schedule-draft.ts';
import { useTexts } from './texts.ts';
import { nextDays } from './week-blocks.ts';

/** A form for one rule. It changes the draft at once: the calendar and the warnings follow. */
export function RuleDialog({
  rule,
  playlists,
  today,
  problems,
  mayWrite,
  onChange,
  onRemove,
  onClose,
}: {
  rule: DraftRule;
  playlists: ReadonlyMap<string, string>;
  today: string;
  /** What the API refuses or warns of, by the field of the rule. */
  problems: Readonly<Record<string, readonly string[]>>;
  mayWrite: boolean;
  onChange: (rule: DraftRule) => void;
  onRemove: () => void;
  onClose: () => void;
}) {
  const texts = useTexts();
  const { language } = useLanguage();
  const set = (changed: Partial<DraftRule>) => onChange({ ...rule, ...changed });
  const next = nextDays(rule, today, 4);
  const others = Object.entries(problems).flatMap(([path, said]) => (FIELDS.has(path) ? [] : said));
  return (
    <Dialog isOpen onClose={onClose} title={texts.editRule}>
      <fieldset disabled={!mayWrite} className="contents">
        <SelectField
          label={texts.playlist}
          value={rule.playlist_id}
          error={problems['playlist_id']?.join(' ')}
          onChange={(event) => set({ playlist_id: event.target.value })}
        >
          {[...playlists].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={texts.startTime}
            type="time"
            required
            value={rule.start_time}
            error={problems['start_time']?.join(' ')}
            onChange={(event) => event.target.value !== '' && set({ start_time: event.target.value })}
          />
          <TextField
            label={texts.endTime}
            type="time"
            required
            value={rule.end_time === '24:00' ? '00:00' : rule.end_time}
            error={problems['end_time']?.join(' ')}
            onChange={(event) => event.target.value !== '' && set({ end_time: event.target.value })}
          />
        </div>
        <SelectField
          label={texts.endsAfter}
          value={rule.end_day_offset}
          error={problems['end_day_offset']?.join(' ')}
          onChange={(event) => set({ end_day_offset: Number(event.target.value) })}
        >
          {[0, 1, 2, 3, 4, 5, 6].map((days) => (
            <option key={days} value={days}>
              {days === 0 ? texts.sameDay : texts.afterDays(days)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={texts.repeats}
          value={rule.rrule === null ? 'days' : 'rrule'}
          onChange={(event) =>
            event.target.value === 'days'
              ? set({ days: rule.days ?? ['MON'], rrule: null })
              : set({
                  days: null,
                  rrule: `FREQ=WEEKLY;INTERVAL=2;BYDAY=${(rule.days ?? ['MON']).map((day) => day.slice(0, 2)).join(',')}`,
                  starts_on: rule.starts_on ?? today,
                })
          }
        >
          <option value="days">{texts.onDays}</option>
          <option value="rrule">{texts.byRecurrence}</option>
        </SelectField>
        {rule.rrule === null ? (
          <WeekdayToggles
            label={texts.onDays}
            chosen={rule.days ?? []}
            onChange={(days) => days.length > 0 && set({ days })}
          />
        ) : (
          <RecurrenceFields
            text={rule.rrule}
            error={problems['rrule']?.join(' ')}
            onChange={(rrule) => set({ rrule })}
          />
        )}
        <div role="status" className="flex flex-col gap-1 rounded-lg bg-raised p-3">
          <p className="[overflow-wrap:anywhere]">
            <span className="text-muted">{texts.understood}: </span>
            {describeRule(rule, language, texts.words)}
          </p>
          <p>
            <span className="text-muted">{texts.next}: </span>
            {next.length === 0 ? texts.never : next.map((day) => dateWords(day, language)).join(' · ')}
          </p>
        </div>
        {others.map((message) => (
          <p key={message} className="text-warn">
            ▲ {message}
          </p>
        ))}
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={texts.startsOn}
            type="date"
            value={rule.starts_on ?? ''}
            error={problems['starts_on']?.join(' ')}
            onChange={(event) => set({ starts_on: event.target.value === '' ? null : event.target.value })}
          />
          <TextField
            label={texts.endsOn}
            type="date"
            value={rule.ends_on ?? ''}
            error={problems['ends_on']?.join(' ')}
            onChange={(event) => set({ ends_on: event.target.value === '' ? null : event.target.value })}
          />
        </div>
        <Exceptions dates={rule.except_dates} onChange={(dates) => set({ except_dates: dates })} />
        <TextField
          label={texts.priority}
          hint={texts.priorityHint}
          type="number"
          min={0}
          max={1000}
          value={rule.priority}
          error={problems['priority']?.join(' ')}
          onChange={(event) => set({ priority: Math.trunc(event.target.valueAsNumber) || 0 })}
        />
        <label className="flex min-h-9 items-center gap-2">
          <input
            type="checkbox"
            checked={rule.local_time}
            onChange={(event) => set({ local_time: event.target.checked })}
            className="size-5 accent-accent"
          />
          {texts.localTime}
        </label>
      </fieldset>
      <div className="flex gap-2">
        <Button look="primary" onClick={onClose}>
          {texts.done}
        </Button>
        {mayWrite && (
          <Button look="danger" onClick={onRemove}>
            {texts.removeRule}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** Paths whose problems stand at their fields. */
const FIELDS = new Set([
  'playlist_id',
  'start_time',
  'end_time',
  'end_day_offset',
  'rrule',
  'starts_on',
  'ends_on',
  'priority',
]);

function Exceptions({ dates, onChange }: { dates: readonly string[]; onChange: (dates: string[]) => void }) {
  const texts = useTexts();
  const { language } = useLanguage();
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={texts.addException}
        type="date"
        onBlur={(event) => {
          const day = event.target.value;
          if (day !== '' && !dates.includes(day)) {
            onChange([...dates, day].toSorted());
          }
          event.target.value = '';
        }}
      />
      {dates.length > 0 && (
        <ul aria-label={texts.exceptions} className="flex flex-wrap gap-2">
          {dates.map((day) => (
            <li key={day} className="inline-flex items-center rounded-lg bg-raised ps-3">
              {dateWords(day, language)}
              <button
                type="button"
                aria-label={texts.remove(dateWords(day, language))}
                onClick={() => onChange(dates.filter((each) => each !== day))}
                className="grid size-9 place-items-center text-muted hover:text-text"
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
