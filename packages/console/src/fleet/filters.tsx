import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { storesQuery } from '../api/stores.ts';
import { useFaultTexts } from '../i18n/fault-texts.ts';
import { useMessages } from '../i18n/language.tsx';
import { useSearchText } from '../ui/search-text.ts';
import { toFleetSearch } from './fleet-search.ts';
import type { DeviceFilters } from './fleet-search.ts';
import { useFleetTexts } from './texts.ts';

const CHIP = 'h-9 min-w-0 rounded-lg border border-line bg-panel px-3 text-text pointer-coarse:h-11';

/** What is searched for; the address has it. */
export function Filters({
  filters,
  onChange,
}: {
  filters: DeviceFilters;
  onChange: (filters: DeviceFilters) => void;
}) {
  const messages = useMessages();
  const texts = useFleetTexts();
  const stores = useQuery(storesQuery);
  const faults = useFaultTexts();
  const field = useRef<HTMLInputElement>(null);
  const set = (changed: Partial<Record<keyof DeviceFilters, string>>) =>
    onChange(toFleetSearch({ ...filters, ...changed }));
  const [search, setSearch] = useSearchText(filters.search ?? '', (text) => set({ search: text }));

  useEffect(() => {
    const focusSearch = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key === '/' && !isTyping) {
        event.preventDefault();
        field.current?.focus();
      }
    };
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);

  return (
    <search className="mb-3 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <input
        ref={field}
        type="search"
        aria-label={messages.searchDevices}
        placeholder={`${messages.searchDevices}  /`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className={`${CHIP} col-span-2 min-w-48 flex-1 placeholder:text-muted sm:max-w-80`}
      />
      <select
        aria-label={messages.status}
        value={filters.status ?? ''}
        onChange={(event) => set({ status: event.target.value })}
        className={CHIP}
      >
        <option value="">{`${messages.status}: ${messages.allDevices}`}</option>
        <option value="online">{messages.online}</option>
        <option value="offline">{messages.offline}</option>
      </select>
      <select
        aria-label={messages.store}
        value={filters.store ?? ''}
        onChange={(event) => set({ store: event.target.value })}
        className={`${CHIP} sm:max-w-56`}
      >
        <option value="">{messages.allStores}</option>
        {[...(stores.data ?? [])].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.revision}
        value={filters.revision ?? ''}
        onChange={(event) => set({ revision: event.target.value })}
        className={CHIP}
      >
        <option value="">{`${texts.revision}: ${messages.allDevices}`}</option>
        <option value="behind">{texts.behind}</option>
        <option value="current">{texts.current}</option>
      </select>
      <select
        aria-label={texts.faultIs}
        value={filters.fault ?? ''}
        onChange={(event) => set({ fault: event.target.value })}
        className={`${CHIP} sm:max-w-56`}
      >
        <option value="">{`${texts.faultIs}: ${messages.allDevices}`}</option>
        {[...faults.keys()].map((code) => (
          <option key={code} value={code}>
            {code}
          </option>
        ))}
      </select>
      <TypedFilter name={messages.tag} value={filters.tag} onChange={(tag) => set({ tag })} />
      <TypedFilter name={texts.versionIs} value={filters.version} onChange={(version) => set({ version })} />
    </search>
  );
}

/** A filter whose values are not known before: it is used when somebody presses Enter or leaves the field. */
function TypedFilter({
  name,
  value = '',
  onChange,
}: {
  name: string;
  value: string | undefined;
  onChange: (value: string) => void;
}) {
  const use = (typed: string) => typed.trim() !== value && onChange(typed.trim());
  return (
    <input
      key={value}
      type="search"
      aria-label={name}
      placeholder={name}
      defaultValue={value}
      onBlur={(event) => use(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && use(event.currentTarget.value)}
      className={`${CHIP} placeholder:text-muted sm:w-28`}
    />
  );
}
