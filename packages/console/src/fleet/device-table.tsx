import { useQueries, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { KeyboardEvent, MouseEvent } from 'react';
import { storesQuery } from '../api/stores.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { devicesQuery, placeOf, shownQuery } from './device-list.ts';
import { DeviceRow, gridOf } from './device-row.tsx';
import type { DeviceFilters } from './fleet-search.ts';
import { useFleetTexts } from './texts.ts';

const ROW_PX = 40;
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
  /** The same function each time, so that rows are not drawn again. */
  onSelect: (id: string, isSelected: boolean) => void;
}) {
  const messages = useMessages();
  const texts = useFleetTexts();
  const format = useFormat();
  const list = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => ROW_PX,
    overscan: 6,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const visible = rows.getVirtualItems();
  const pages = [...new Set(visible.map(({ index }) => placeOf(filters, index).page))];
  const loaded = useQueries({ queries: pages.map((page) => devicesQuery(filters, page)) });
  const shown = useQueries({ queries: pages.map((page) => shownQuery(filters, page)) });
  const stores = useQuery(storesQuery);
  const router = useRouter();

  /** The links of rows are plain ones: to draw those of the router for all rows in view takes longer than a frame. */
  const openWithoutLoading = (event: MouseEvent<HTMLDivElement>) => {
    const href = event.target instanceof Element && event.target.closest('a')?.getAttribute('href');
    const opensElsewhere =
      event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (href && !opensElsewhere) {
      event.preventDefault();
      router.history.push(href);
    }
  };

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
          className={`${gridOf(selected !== null)} h-9 border-b border-line text-xs font-medium text-muted`}
        >
          {selected && <span role="columnheader" aria-label={texts.select('').trim()} />}
          <span role="columnheader">{messages.name}</span>
          <span role="columnheader">{messages.shouldShow}</span>
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
        onClick={openWithoutLoading}
        onPointerEnter={() => void router.loadRouteChunk(router.routesById['/signed-in/devices/$deviceId'])}
        className="relative"
        style={{ height: rows.getTotalSize() }}
      >
        {visible.map(({ index, start, key }) => {
          const place = placeOf(filters, index);
          const page = pages.indexOf(place.page);
          const device = loaded[page]?.data?.devices[place.at];
          const moment = device && shown[page]?.data?.get(device.id);
          return (
            <DeviceRow
              key={key}
              index={index}
              top={start - rows.options.scrollMargin}
              device={device}
              showing={moment && (moment.playlist?.name ?? messages.sourceNone)}
              reason={moment?.reason}
              storeName={device?.store_id ? (stores.data?.get(device.store_id) ?? '') : '–'}
              lastHeard={device?.last_heartbeat ? format.ago(device.last_heartbeat) : messages.never}
              isSelected={selected && device !== undefined && selected.has(device.id)}
              onSelect={onSelect}
            />
          );
        })}
      </div>
    </div>
  );
}
