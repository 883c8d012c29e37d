import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { inUseQuery } from '../api/in-use.ts';
import { useFaultTexts } from '../i18n/fault-texts.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { sendsPicturesQuery } from './alert-queries.ts';
import { CONDITION_TYPES, firstOf, isKnown, kindOf } from './conditions.ts';
import type { EditedCondition, Field, FieldName, FieldValue } from './conditions.ts';
import { useTexts } from './texts.ts';

/** When there is an alert. */
export function ConditionFields({
  value,
  onChange,
  errors,
}: {
  value: EditedCondition;
  onChange: (value: EditedCondition) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const texts = useTexts();
  const { type } = value;
  const fields = isKnown(type) ? Object.entries(kindOf(type).fields) : [];
  return (
    <>
      <SelectField
        label={texts.condition}
        autoFocus
        value={type}
        hint={isKnown(type) ? texts.conditions[type].hint : texts.unknownCondition(type)}
        error={errors['condition'] ?? errors['condition.type']}
        onChange={({ target }) => isKnown(target.value) && onChange(firstOf(target.value))}
      >
        {!isKnown(type) && <option value={type}>{type}</option>}
        {CONDITION_TYPES.map((each) => (
          <option key={each} value={each}>
            {texts.conditions[each].name}
          </option>
        ))}
      </SelectField>
      {fields.map(([name, field]) => (
        <ConditionField
          key={`${type} ${name}`}
          label={labelOf(texts.fields, name)}
          field={field}
          value={value[name] ?? ''}
          onChange={(typed) => onChange({ ...value, [name]: typed })}
          error={errors[`condition.${name}`]}
        />
      ))}
      {fields.some(([name]) => name === 'pictures') && <NoPicturesNote />}
    </>
  );
}

/** Says that a condition about pictures is not met while the settings want none. */
function NoPicturesNote() {
  const texts = useTexts();
  return (
    useQuery(sendsPicturesQuery).data === false && (
      <p role="status" className="rounded-lg bg-warn-panel p-3 text-warn">
        {texts.noPictures}{' '}
        <Link to="/settings/organization" className="underline">
          {texts.toPictureSettings}
        </Link>
      </p>
    )
  );
}

const labelOf = (labels: Readonly<Record<FieldName, string>>, name: string): string =>
  new Map<string, string>(Object.entries(labels)).get(name) ?? name;

function ConditionField({
  label,
  field,
  value,
  onChange,
  error,
}: {
  label: string;
  field: Field;
  value: FieldValue;
  onChange: (value: string) => void;
  error: string | undefined;
}) {
  const texts = useTexts();
  const advice = useFaultTexts();
  const inUse = useQuery(inUseQuery).data;
  const listId = useId();
  const shared = {
    label,
    error,
    value: value ?? '',
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (field.kind === 'minutes' || field.kind === 'number') {
    return (
      <TextField
        {...shared}
        type="number"
        inputMode="numeric"
        min={field.min}
        max={field.max}
        required
        hint={field.kind === 'minutes' && field.min === 0 ? texts.atOnce : undefined}
      />
    );
  }
  if (field.kind === 'choice') {
    return (
      <SelectField {...shared}>
        {Object.entries(field.choices).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </SelectField>
    );
  }
  const suggestions =
    field.kind === 'fault'
      ? [...advice.keys()]
      : (inUse?.player_versions ?? []).map(({ player_version: version }) => version);
  return (
    <>
      <TextField
        {...shared}
        list={listId}
        maxLength={100}
        autoComplete="off"
        required={field.kind === 'version'}
        hint={field.kind === 'fault' ? (advice.get(String(value)) ?? texts.anyFault) : undefined}
      />
      <datalist id={listId}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}
