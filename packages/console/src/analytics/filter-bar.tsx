import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { filterNameQuery } from './analytics-queries.ts';
import { PERIODS, spanOf } from './analytics-search.ts';
import type { AnalyticsSearch } from './analytics-search.ts';
import { useTexts } from './texts.ts';

const FILTERS = ['content', 'device', 'playlist'] as const;
/** No cloud has older plays. */
const FIRST_DAY = '2020-01-01';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The period, and what plays are filtered by. */
export function FilterBar({
  search,
  onChange,
}: {
  search: AnalyticsSearch;
  onChange: (search: AnalyticsSearch) => void;
}) {
  const texts = useTexts();
  const { fromMs, toMs } = spanOf(search, Date.now());
  // The end is not included.
  const [from, to] = [dayOf(fromMs), dayOf(toMs - 1)];
  const { period, from: _from, to: _to, page: _page, ...others } = search;
  const chosen = search.from === undefined ? (period ?? 'week') : undefined;
  return (
    <search className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <div role="group" aria-label={texts.period} className="flex max-w-full">
        {PERIODS.map((each) => (
          <Button
            key={each}
            aria-pressed={chosen === each}
            className={`px-2.5 not-first:rounded-s-none not-last:rounded-e-none not-last:border-e-0 ${chosen === each ? 'bg-selected!' : ''}`}
            onClick={() => onChange({ ...others, ...(each !== 'week' && { period: each }) })}
          >
            {texts.periods[each]}
          </Button>
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <DayField
          label={texts.from}
          value={from}
          onChange={(day) => onChange({ ...others, from: day, to: day > to ? day : to })}
        />
        <DayField
          label={texts.to}
          value={to}
          onChange={(day) => onChange({ ...others, from: day < from ? day : from, to: day })}
        />
      </div>
      <p className="py-2 text-muted">{texts.inUtc}</p>
      {FILTERS.map((kind) => {
        const id = search[kind];
        const { [kind]: _removed, page: _, ...rest } = search;
        return id === undefined ? null : (
          <FilterChip key={kind} kind={kind} id={id} onRemove={() => onChange(rest)} />
        );
      })}
    </search>
  );
}

function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (day: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <label className="flex items-center gap-2 text-muted">
      {label}
      <input
        type="date"
        min={FIRST_DAY}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          // A year that is being typed is before all others.
          if (target.value !== '' && target.validity.valid) {
            onChange(target.value);
          }
        }}
        className="h-9 min-w-0 rounded-lg border border-line bg-panel px-2 text-text pointer-coarse:h-11"
      />
    </label>
  );
}

function FilterChip({
  kind,
  id,
  onRemove,
}: {
  kind: (typeof FILTERS)[number];
  id: string;
  onRemove: () => void;
}) {
  const texts = useTexts();
  const { data } = useQuery(filterNameQuery(kind, id));
  const name = data ?? id;
  return (
    <Button
      className="max-w-full bg-selected!"
      aria-label={texts.removeFilter(`${texts.groups[kind]} ${name}`)}
      onClick={onRemove}
    >
      <span title={name} className="truncate">
        {texts.groups[kind]}: {name}
      </span>
      <span aria-hidden>✕</span>
    </Button>
  );
}
