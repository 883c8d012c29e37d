import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../api/account.ts';
import { storesQuery } from '../api/stores.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { countQuery, devicesQuery } from './device-list.ts';
import type { DeviceFilters } from './device-list.ts';
import { DeviceTable } from './device-table.tsx';
import { PairDialog } from './pair-dialog.tsx';

const route = getRouteApi('/signed-in/devices');

/** All devices: what needs somebody first, then a list that stays current by itself. */
export function FleetPage() {
  const messages = useMessages();
  const format = useFormat();
  const { pair, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('Write');
  const first = useQuery({ ...devicesQuery(filters, 0), placeholderData: keepPreviousData });
  const offline = useQuery(countQuery('offline'));
  const hasFilters = Object.keys(filters).length > 0;
  const total = first.data?.total;

  return (
    <>
      <title>{`${messages.devices} · Placard`}</title>
      <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">{messages.devices}</h1>
        <p className="text-muted" role="status">
          {total !== undefined && messages.deviceCount(format.number(total))}
        </p>
        {offline.data !== undefined && offline.data > 0 && filters.status !== 'offline' && (
          <Link
            to="/devices"
            search={{ status: 'offline' }}
            className="rounded-lg bg-warn-panel px-2 py-1 text-warn"
          >
            ▲ {messages.offlineCount(format.number(offline.data))}
          </Link>
        )}
        {mayWrite && (
          <Button
            look="primary"
            className="ms-auto"
            onClick={() => void navigate({ search: (before) => ({ ...before, pair: 'yes' }) })}
          >
            {messages.pairDevice}
          </Button>
        )}
      </header>
      <Filters filters={filters} onChange={(next) => void navigate({ search: next, replace: true })} />
      {first.error && <ErrorMessage error={first.error} onRetry={() => void first.refetch()} />}
      {first.isPending && <Skeleton className="h-96" />}
      {total === 0 &&
        (hasFilters ? (
          <div className="flex flex-col items-center gap-3 py-16 text-muted">
            <p>{messages.nothingFound}</p>
            <Button onClick={() => void navigate({ search: {} })}>{messages.clearFilters}</Button>
          </div>
        ) : (
          <div className="mx-auto flex max-w-md flex-col items-center gap-3 py-16 text-center">
            <h2 className="text-lg font-semibold">{messages.noDevices}</h2>
            <p className="text-muted">{messages.noDevicesHint}</p>
          </div>
        ))}
      {total !== undefined && total > 0 && <DeviceTable filters={filters} total={total} />}
      <PairDialog
        isOpen={pair !== undefined && mayWrite}
        onClose={() => void navigate({ search: filters, replace: true })}
      />
    </>
  );
}

const TYPING_PAUSE_MS = 120;
const CHIP = 'h-9 rounded-lg border border-line bg-panel px-3 text-text pointer-coarse:h-11';

function Filters({
  filters,
  onChange,
}: {
  filters: DeviceFilters;
  onChange: (filters: DeviceFilters) => void;
}) {
  const messages = useMessages();
  const stores = useQuery(storesQuery);
  const [search, setSearch] = useState(filters.search ?? '');
  const field = useRef<HTMLInputElement>(null);
  const set = (changed: Partial<Record<keyof DeviceFilters, string>>) =>
    onChange(
      // Empty parameters are left out of the address.
      Object.fromEntries(Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== '')),
    );

  // A search as soon as somebody pauses.
  const typed = search.trim();
  useEffect(() => {
    const timer = setTimeout(
      () => typed !== (filters.search ?? '') && set({ search: typed }),
      TYPING_PAUSE_MS,
    );
    return () => clearTimeout(timer);
    // Only what is typed starts a search.
  }, [typed]);

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
    <search className="mb-3 flex flex-wrap gap-2">
      <input
        ref={field}
        type="search"
        aria-label={messages.searchDevices}
        placeholder={`${messages.searchDevices}  /`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className={`${CHIP} min-w-48 flex-1 placeholder:text-muted sm:max-w-80`}
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
        className={`${CHIP} max-w-56`}
      >
        <option value="">{messages.allStores}</option>
        {[...(stores.data ?? [])].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {filters.tag !== undefined && (
        <Button onClick={() => set({ tag: '' })}>
          {messages.tag}: {filters.tag} ✕
        </Button>
      )}
    </search>
  );
}
