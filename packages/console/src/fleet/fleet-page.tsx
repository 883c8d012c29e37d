import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useAccount, useIsBound, useMay, useMayInAllStores } from '../api/account.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { Attention } from './attention.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { devicesQuery, toApiFilter } from './device-list.ts';
import type { BulkDevices } from './device-list.ts';
import { DeviceTable } from './device-table.tsx';
import { DeviceTiles } from './device-tiles.tsx';
import { Filters } from './filters.tsx';
import { PairDialog } from './pair-dialog.tsx';
import { SavedViews } from './saved-views.tsx';
import { useFleetTexts } from './texts.ts';

const route = getRouteApi('/signed-in/devices');

/** All devices: what needs somebody first, then a list that stays current by itself. */
export function FleetPage() {
  const messages = useMessages();
  const texts = useFleetTexts();
  const format = useFormat();
  const { pair, view, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('Write');
  // A device is paired for a store of theirs.
  const mayPair = useAccount().stores?.length !== 0 && mayWrite;
  const isBound = useIsBound();
  const mayActOnMany = useMayInAllStores('Write');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<BulkDevices | null>(null);
  const first = useQuery({ ...devicesQuery(filters, 0), placeholderData: keepPreviousData });
  const hasFilters = Object.keys(filters).length > 0;
  const total = first.data?.total;
  /** There is no device at all, so nothing to search in. */
  const isEmpty = total === 0 && !hasFilters;
  const layout = view && { view };
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) =>
      isSelected ? new Set(before).add(id) : new Set([...before].filter((each) => each !== id)),
    );
  }, []);

  return (
    <>
      <title>{`${messages.devices} · Placard`}</title>
      <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">{messages.devices}</h1>
        <p className="text-muted" role="status">
          {total !== undefined && messages.deviceCount(total)}
        </p>
        <div className="ms-auto flex flex-wrap gap-2">
          {!isEmpty && !isBound && (
            <Link
              to="/devices/rollouts"
              className="inline-flex h-9 items-center rounded-lg border border-line bg-panel px-3 font-medium hover:bg-raised pointer-coarse:h-11"
            >
              {texts.updates}
            </Link>
          )}
          {!isEmpty && <SavedViews search={{ ...filters, ...layout }} />}
          {!isEmpty && (
            <div role="group" aria-label={texts.layout} className="flex">
              {([undefined, 'tiles'] as const).map((each) => (
                <Button
                  key={each ?? 'list'}
                  aria-pressed={view === each}
                  className={`first:rounded-e-none last:rounded-s-none last:border-s-0 ${view === each ? 'bg-selected!' : ''}`}
                  onClick={() =>
                    void navigate({ search: { ...filters, ...(each && { view: each }) }, replace: true })
                  }
                >
                  {each ? texts.tiles : texts.list}
                </Button>
              ))}
            </div>
          )}
          {mayPair && (
            <Button
              look="primary"
              onClick={() => void navigate({ search: (before) => ({ ...before, pair: 'yes' }) })}
            >
              {messages.pairDevice}
            </Button>
          )}
        </div>
      </header>
      {!hasFilters && <Attention />}
      {!isEmpty && (
        <Filters
          filters={filters}
          onChange={(next) => void navigate({ search: { ...next, ...layout }, replace: true })}
        />
      )}
      {mayActOnMany && total !== undefined && total > 0 && (hasFilters || selected.size > 0) && (
        <div className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-selected p-2">
          {selected.size > 0 && (
            <>
              <span className="px-2">{texts.selected(format.number(selected.size))}</span>
              <Button onClick={() => setBulk({ ids: [...selected] })}>{texts.actOnSelected}</Button>
              <Button look="quiet" onClick={() => setSelected(new Set())}>
                {texts.clearSelection}
              </Button>
            </>
          )}
          {hasFilters && (
            <Button onClick={() => setBulk({ filter: toApiFilter(filters) })}>
              {texts.actOnAll(format.number(total))}
            </Button>
          )}
        </div>
      )}
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
      {total !== undefined &&
        total > 0 &&
        (view === 'tiles' ? (
          <DeviceTiles filters={filters} total={total} />
        ) : (
          <DeviceTable
            filters={filters}
            total={total}
            selected={mayActOnMany ? selected : null}
            onSelect={select}
          />
        ))}
      <BulkDialog
        devices={bulk}
        count={bulk && 'ids' in bulk ? bulk.ids.length : (total ?? 0)}
        onClose={() => setBulk(null)}
      />
      <PairDialog
        isOpen={pair !== undefined && mayPair}
        onClose={() => void navigate({ search: { ...filters, ...layout }, replace: true })}
      />
    </>
  );
}
