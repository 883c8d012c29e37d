import type { Data } from '@placard/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { coverQuery } from '../api/covers.ts';
import { useMessages } from '../i18n/language.tsx';
import { ScreenPicture } from '../ui/screen-picture.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { devicesQuery, placeOf, shownQuery } from './device-list.ts';
import type { DeviceFilters } from './fleet-search.ts';

type Device = Data<'listDevices'>[number];
type Moment = Data<'listTimeline'>[number];

const TILE_PX = 208;
const GAP_PX = 12;
const ROW_PX = 212;

/** The devices as pictures of what they should show now; those in view are read. */
export function DeviceTiles({ filters, total }: { filters: DeviceFilters; total: number }) {
  const messages = useMessages();
  const list = useRef<HTMLUListElement>(null);
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setColumns(Math.max(1, Math.floor(((entry?.contentRect.width ?? 0) + GAP_PX) / (TILE_PX + GAP_PX)))),
    );
    observer.observe(list.current!);
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => ROW_PX,
    overscan: 2,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const visible = rows
    .getVirtualItems()
    .flatMap(({ index: row, start }) =>
      Array.from({ length: columns }, (_, column) => ({ index: row * columns + column, column, start })),
    )
    .filter(({ index }) => index < total);
  const pages = [...new Set(visible.map(({ index }) => placeOf(filters, index).page))];
  const loaded = useQueries({ queries: pages.map((page) => devicesQuery(filters, page)) });
  const shown = useQueries({ queries: pages.map((page) => shownQuery(filters, page)) });
  return (
    <ul ref={list} aria-label={messages.devices} className="relative" style={{ height: rows.getTotalSize() }}>
      {visible.map(({ index, column, start }) => {
        const { page, at } = placeOf(filters, index);
        const device = loaded[pages.indexOf(page)]?.data?.devices[at];
        return (
          <li
            key={index}
            className="absolute top-0 overflow-hidden rounded-xl border border-line bg-panel focus-within:outline-2 focus-within:outline-accent hover:bg-raised"
            style={{
              width: `calc((100% - ${(columns - 1) * GAP_PX}px) / ${columns})`,
              height: ROW_PX - GAP_PX,
              left: `calc((100% + ${GAP_PX}px) / ${columns} * ${column})`,
              transform: `translateY(${start - rows.options.scrollMargin}px)`,
            }}
          >
            {device && <Tile device={device} moment={shown[pages.indexOf(page)]?.data?.get(device.id)} />}
          </li>
        );
      })}
    </ul>
  );
}

function Tile({ device, moment }: { device: Device; moment: Moment | undefined }) {
  const messages = useMessages();
  const playlist = moment?.playlist?.id;
  const cover = useQuery({ ...coverQuery(playlist ?? ''), enabled: playlist !== undefined });
  return (
    <>
      <div className="grid h-[132px] place-items-center bg-raised">
        <ScreenPicture
          orientation={device.orientation}
          isOffline={device.status === 'offline'}
          src={cover.data ?? null}
        />
      </div>
      <div className="flex flex-col gap-0.5 px-3 py-2">
        <span className="flex min-w-0 items-center gap-2">
          <StatusMark
            isBare
            kind={device.status === 'online' ? 'good' : 'bad'}
            label={device.status === 'online' ? messages.online : messages.offline}
          />
          <Link
            to="/devices/$deviceId"
            params={{ deviceId: device.id }}
            title={device.name}
            className="truncate font-medium outline-none after:absolute after:inset-0"
          >
            {device.name}
          </Link>
        </span>
        <span className="truncate text-muted" title={moment?.reason}>
          {moment && (moment.playlist?.name ?? messages.sourceNone)}
        </span>
      </div>
    </>
  );
}
