import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { storesQuery } from '../api/stores.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { devicesQuery, placeOf, shownQuery } from './device-list.ts';
import type { DeviceFilters } from './fleet-search.ts';
import { useFleetTexts } from './texts.ts';

const ROW_PX = 40;
/** Columns from the left; phones show the first ones. */
const GRID =
  'grid grid-cols-[1.5rem_minmax(0,3fr)_minmax(0,2fr)] md:grid-cols-[1.5rem_minmax(0,3fr)_minmax(0,2fr)_minmax(0,3fr)_minmax(0,2fr)_7rem] items-center gap-4 px-4';

/** Of ten thousand rows, those in view; their pages are read as they come into view. */
export function DeviceTable({
  filters,
  total,
  selected,
  onSelect,
}: {
  filters: DeviceFilters;
  total: number;
  /** Ids; null where nothing can be selected. */
  selected: ReadonlySet<string> | null;
  onSelect: (id: string, isSelected: boolean) => void;
}) {
  const messages = useMessages();
  const texts = useFleetTexts();
  const format = useFormat();
  const list = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const visible = rows.getVirtualItems();
  const pages = [...new Set(visible.map(({ index }) => placeOf(filters, index).page))];
  const loaded = useQueries({ queries: pages.map((page) => devicesQuery(filters, page)) });
  const shown = useQueries({ queries: pages.map((page) => shownQuery(filters, page)) });
  const stores = useQuery(storesQuery);

  const moveFocus = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const index = Number(
      event.target instanceof Element
        ? event.target.closest('[data-index]')?.getAttribute('data-index')
        : undefined,
    );
    if (step === undefined || Number.isNaN(index)) {
      return;
    }
    event.preventDefault();
    const next = Math.min(Math.max(index + step, 0), total - 1);
    rows.scrollToIndex(next);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus(),
    );
  };

  return (
    <div
      role="table"
      aria-rowcount={total + 1}
      aria-label={messages.devices}
      className="rounded-xl border border-line bg-panel"
    >
      <div role="rowgroup">
        <div
          role="row"
          aria-rowindex={1}
          className={`${GRID} h-9 border-b border-line text-xs font-medium text-muted`}
        >
          <span role="columnheader" aria-label={texts.select('').trim()} />
          <span role="columnheader">{messages.name}</span>
          <span role="columnheader">{messages.showingNow}</span>
          <span role="columnheader" className="hidden md:block">
            {messages.store}
          </span>
          <span role="columnheader" className="hidden md:block">
            {messages.lastHeard}
          </span>
          <span role="columnheader" className="hidden md:block">
            {messages.version}
          </span>
        </div>
      </div>
      <div
        ref={list}
        role="rowgroup"
        onKeyDown={moveFocus}
        className="relative"
        style={{ height: rows.getTotalSize() }}
      >
        {visible.map(({ index, start, key }) => {
          const place = placeOf(filters, index);
          const page = pages.indexOf(place.page);
          const device = loaded[page]?.data?.devices[place.at];
          const moment = device && shown[page]?.data?.get(device.id);
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              className={`${GRID} absolute inset-x-0 h-10 border-b border-line last:border-0 hover:bg-raised`}
              style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
            >
              {device ? (
                <>
                  <span role="cell" className="relative z-1 flex">
                    {selected && (
                      <input
                        type="checkbox"
                        aria-label={texts.select(device.name)}
                        checked={selected.has(device.id)}
                        onChange={(event) => onSelect(device.id, event.target.checked)}
                        className="size-4 accent-(--accent) pointer-coarse:size-6"
                      />
                    )}
                  </span>
                  <span role="cell" className="flex min-w-0 items-center gap-2">
                    <StatusMark
                      isBare
                      kind={device.status === 'online' ? 'good' : 'bad'}
                      label={device.status === 'online' ? messages.online : messages.offline}
                    />
                    <Link
                      to="/devices/$deviceId"
                      params={{ deviceId: device.id }}
                      className="truncate font-medium after:absolute after:inset-0"
                    >
                      {device.name}
                    </Link>
                  </span>
                  <span role="cell" className="truncate text-muted" title={moment?.reason}>
                    {moment && (moment.playlist?.name ?? messages.sourceNone)}
                  </span>
                  <span role="cell" className="hidden truncate text-muted md:block">
                    {device.store_id === null ? '–' : (stores.data?.get(device.store_id) ?? '')}
                  </span>
                  <span role="cell" className="hidden truncate text-muted md:block">
                    {device.last_heartbeat === null ? messages.never : format.ago(device.last_heartbeat)}
                  </span>
                  <span role="cell" className="hidden truncate text-muted md:block">
                    {device.player_version}
                  </span>
                </>
              ) : (
                <span
                  role="cell"
                  aria-label={messages.loading}
                  className="col-start-2 h-3 rounded bg-raised"
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
