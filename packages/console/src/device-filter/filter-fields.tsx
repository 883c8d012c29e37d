import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useDeviceTotal } from '../api/device-total.ts';
import { storesQuery } from '../api/stores.ts';
import { tagsQuery } from '../api/tags.ts';
import { useMessages } from '../i18n/language.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { filterOf, PLACES } from './filter.ts';
import type { TypedFilter } from './filter.ts';
import { useTexts } from './texts.ts';

/** The fields that choose devices, and how many these are now. */
export function FilterFields({
  value,
  onChange,
  errors,
  countWords,
}: {
  value: TypedFilter;
  onChange: (value: TypedFilter) => void;
  errors: Readonly<Record<string, string>>;
  /** Says how many devices are chosen. */
  countWords: (count: number) => string;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const listId = useId();
  // Open at first only: it stays as it is while somebody types.
  const [hasPlace] = useState(PLACES.some((name) => (value[name] ?? '') !== ''));
  const stores = useQuery(storesQuery).data;
  const tags = useQuery(tagsQuery).data;
  const { count, isOld } = useDeviceTotal(filterOf(value));
  const { store_id: storeId = '', tag = '' } = value;
  const labels = {
    search: texts.nameContains,
    country: texts.country,
    region: texts.region,
    city: texts.city,
  };
  const change = (name: string, typed: string) => onChange({ ...value, [name]: typed });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">{texts.screens}</legend>
      <SelectField
        label={messages.store}
        value={storeId}
        onChange={({ target }) => change('store_id', target.value)}
        error={errors['filter.store_id']}
      >
        <option value="">{messages.allStores}</option>
        {storeId !== '' && stores?.has(storeId) !== true && <option value={storeId}>{storeId}</option>}
        {[...(stores ?? [])].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={messages.tag}
        placeholder={texts.anyTag}
        list={listId}
        value={tag}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => change('tag', target.value)}
        error={errors['filter.tag']}
      />
      <datalist id={listId}>
        {tags?.map((each) => (
          <option key={each.tag} value={each.tag} />
        ))}
      </datalist>
      <details open={hasPlace}>
        <summary className="cursor-pointer py-1 text-muted hover:text-text">{texts.morePlaces}</summary>
        <div className="flex flex-col gap-3 pt-2">
          {PLACES.map((name) => (
            <TextField
              key={name}
              label={labels[name]}
              value={value[name] ?? ''}
              maxLength={200}
              onChange={({ target }) => change(name, target.value)}
              error={errors[`filter.${name}`]}
            />
          ))}
        </div>
      </details>
      {count !== undefined && (
        <p role="status" aria-busy={isOld} className={`text-muted ${isOld ? 'invisible' : ''}`}>
          {countWords(count)}
        </p>
      )}
    </fieldset>
  );
}
