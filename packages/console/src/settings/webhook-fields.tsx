import { CheckBox, TextField } from '../ui/field.tsx';
import { useTexts } from './settings-texts.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';
import type { WebhookEvent } from './webhook-events.ts';

export interface WebhookValues {
  url: string;
  events: readonly WebhookEvent[];
}

/** Where a webhook leads, and what it tells. */
export function WebhookFields({
  value,
  onChange,
  errors,
}: {
  value: WebhookValues;
  onChange: (value: WebhookValues) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const texts = useTexts();
  const toggle = (event: WebhookEvent, isChosen: boolean) =>
    onChange({
      ...value,
      events: [...value.events.filter((each) => each !== event), ...(isChosen ? [event] : [])],
    });
  return (
    <>
      <TextField
        label={texts.webhookUrl}
        type="url"
        placeholder="https://example.com/hooks/placard"
        value={value.url}
        onChange={(event) => onChange({ ...value, url: event.target.value })}
        maxLength={2000}
        required
        error={errors['url']}
      />
      <fieldset className="flex flex-col gap-1">
        <legend className="font-medium">{texts.events}</legend>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(12rem,1fr))]">
          {WEBHOOK_EVENTS.map((event) => (
            <CheckBox
              key={event}
              label={event}
              isChecked={value.events.includes(event)}
              onChange={(isChosen) => toggle(event, isChosen)}
            />
          ))}
        </div>
        {errors['events'] !== undefined && <p className="text-bad">{errors['events']}</p>}
      </fieldset>
    </>
  );
}
