import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { SelectField } from './field.tsx';

/** Minutes. */
const OFFERED = [5, 15, 30, 60, 240, 720, 1440];

/** How often a screen sends a picture of its own accord. Null is never for the organization, and what that says for a screen. */
export function ScreenshotIntervalField({
  of,
  value,
  onChange,
}: {
  of: 'organization' | 'device';
  value: number | null;
  onChange: (minutes: number | null) => void;
}) {
  const messages = useMessages();
  const format = useFormat();
  const intervals = OFFERED.concat(value ?? [])
    .filter((minutes, index, all) => minutes !== 0 && all.indexOf(minutes) === index)
    .toSorted((a, b) => a - b);
  return (
    <SelectField
      label={messages.screenshotInterval}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
    >
      <option value="">{of === 'device' ? messages.asOrganization : messages.screenshotsNever}</option>
      {of === 'device' && <option value={0}>{messages.screenshotsNever}</option>}
      {intervals.map((minutes) => (
        <option key={minutes} value={minutes}>
          {messages.every(format.duration(minutes * 60))}
        </option>
      ))}
    </SelectField>
  );
}
