import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { LANGUAGE_NAMES } from '../i18n/language.tsx';
import { addressesOf } from './rule-draft.ts';
import type { LaterMail, RuleDraft } from './rule-draft.ts';
import { useTexts } from './texts.ts';

/** As many as the API takes. */
const MAX_LATER = 3;
const FIRST_LATER: LaterMail = { minutes: 60, recipients: '' };

/** Who gets a mail, at once and later, and in which language. */
export function MailFields({
  draft,
  onChange,
  errors,
}: {
  draft: RuleDraft;
  onChange: (changed: Partial<RuleDraft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const texts = useTexts();
  const { later } = draft;
  const changeLater = (index: number, changed: Partial<LaterMail>) =>
    onChange({ later: later.map((each, at) => (at === index ? { ...each, ...changed } : each)) });
  const hasMail = draft.recipients.trim() !== '' || later.length > 0;
  return (
    <>
      <TextField
        label={texts.recipients}
        inputMode="email"
        autoComplete="off"
        value={draft.recipients}
        hint={texts.recipientsHint}
        onChange={({ target }) => onChange({ recipients: target.value })}
        error={addressError(errors, 'recipients', draft.recipients)}
      />
      {later.map((mail, index) => (
        <fieldset
          // Steps have no name of their own, and nothing is kept in a row.
          key={index}
          className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3"
        >
          <legend className="px-1 font-medium">{texts.stillOpen}</legend>
          <TextField
            label={texts.afterMinutes}
            type="number"
            inputMode="numeric"
            min={1}
            max={10_080}
            required
            value={mail.minutes}
            error={errors[`escalations.${index}.after_minutes`]}
            onChange={({ target }) => changeLater(index, { minutes: target.value })}
          />
          <TextField
            label={texts.recipients}
            inputMode="email"
            autoComplete="off"
            required
            value={mail.recipients}
            error={addressError(errors, `escalations.${index}.recipients`, mail.recipients)}
            onChange={({ target }) => changeLater(index, { recipients: target.value })}
          />
          <Button
            look="quiet"
            className="self-end"
            onClick={() => onChange({ later: later.filter((_, at) => at !== index) })}
          >
            {texts.remove}
          </Button>
        </fieldset>
      ))}
      {later.length < MAX_LATER && (
        <Button className="self-start" onClick={() => onChange({ later: [...later, FIRST_LATER] })}>
          {texts.addLater}
        </Button>
      )}
      {hasMail && (
        <SelectField
          label={texts.mailLanguage}
          value={draft.language}
          onChange={({ target }) => {
            const chosen = LANGUAGE_NAMES.find(([code]) => code === target.value);
            onChange(chosen ? { language: chosen[0] } : {});
          }}
        >
          {LANGUAGE_NAMES.map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </>
  );
}

/** What is wrong with a list of addresses; with one of them, which. */
function addressError(
  errors: Readonly<Record<string, string>>,
  path: string,
  typed: string,
): string | undefined {
  const addresses = addressesOf(typed);
  for (const [at, message] of Object.entries(errors)) {
    if (at === path) {
      return message;
    }
    if (at.startsWith(`${path}.`)) {
      const address = addresses[Number(at.slice(path.length + 1))];
      return address === undefined ? message : `${address}: ${message}`;
    }
  }
  return undefined;
}
