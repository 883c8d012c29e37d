import type { Role } from './roles.ts';
import { useQuery } from '@tanstack/react-query';
import { storesQuery } from '../api/stores.ts';
import { CheckBox, SelectField } from '../ui/field.tsx';
import { ROLES, roleOf } from './roles.ts';
import { useTexts } from './settings-texts.ts';

export interface Access {
  role: Role;
  /** Ids of the stores that the person is bound to; null for all. */
  stores: readonly string[] | null;
}

/** What a person may do, and in which stores. Admins are never bound to stores. */
export function AccessFields({
  value,
  onChange,
  error,
}: {
  value: Access;
  onChange: (value: Access) => void;
  error?: string | undefined;
}) {
  const texts = useTexts();
  const stores = useQuery(storesQuery);
  const { role, stores: chosen } = value;
  const toggle = (id: string, isChosen: boolean) =>
    onChange({ role, stores: [...(chosen ?? []).filter((each) => each !== id), ...(isChosen ? [id] : [])] });
  return (
    <>
      <SelectField
        label={texts.role}
        hint={texts.roleHints[role]}
        value={role}
        error={error}
        onChange={(event) => {
          const next = roleOf(event.target.value);
          onChange({ role: next, stores: next === 'Admin' ? null : chosen });
        }}
      >
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
      {role !== 'Admin' && (stores.data?.size ?? 0) > 0 && (
        <fieldset className="flex flex-col gap-1">
          <legend className="sr-only">{texts.stores}</legend>
          <CheckBox
            label={texts.bindToStores}
            isChecked={chosen !== null}
            onChange={(isBound) => onChange({ role, stores: isBound ? [] : null })}
          />
          {chosen !== null && (
            <div className="ms-6 flex max-h-48 flex-col overflow-y-auto">
              {[...(stores.data ?? [])].map(([id, name]) => (
                <CheckBox
                  key={id}
                  label={name}
                  isChecked={chosen.includes(id)}
                  onChange={(isChosen) => toggle(id, isChosen)}
                />
              ))}
            </div>
          )}
        </fieldset>
      )}
    </>
  );
}
