import type { Device } from '@placard/client';
import { memo } from 'react';
import { useMessages } from '../i18n/language.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { useFleetTexts } from './texts.ts';

/** Columns from the left; phones show the first ones. That of the boxes is there where something can be selected. */
export const gridOf = (hasBoxes: boolean): string =>
  `grid items-center gap-3 px-4 md:gap-4 ${
    hasBoxes
      ? 'grid-cols-[1.5rem_minmax(0,5fr)_minmax(0,2fr)] md:grid-cols-[1.5rem_minmax(0,4fr)_minmax(0,2fr)_minmax(0,3fr)_8rem_5rem]'
      : 'grid-cols-[minmax(0,5fr)_minmax(0,2fr)] md:grid-cols-[minmax(0,4fr)_minmax(0,2fr)_minmax(0,3fr)_8rem_5rem]'
  }`;

/**
 * One row of the table. While the table scrolls, those that were there are neither drawn nor laid out again: links and layout of all rows in view
 * take longer than a frame.
 */
export const DeviceRow = memo(function DeviceRow({
  index,
  top,
  device,
  showing,
  reason,
  storeName,
  lastHeard,
  isSelected,
  onSelect,
}: {
  index: number;
  /** Pixels from the top of the list. */
  top: number;
  /** Undefined while it is being read. */
  device: Device | undefined;
  /** The playlist that it should show now, and why; undefined while that is being read. */
  showing: string | undefined;
  reason: string | undefined;
  storeName: string;
  /** How long ago. */
  lastHeard: string;
  /** Null where nothing can be selected. */
  isSelected: boolean | null;
  onSelect: (id: string, isSelected: boolean) => void;
}) {
  const messages = useMessages();
  const texts = useFleetTexts();
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={`${gridOf(isSelected !== null)} absolute inset-x-0 h-10 border-b border-line contain-layout contain-size contain-style last:border-0 hover:bg-raised`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {device ? (
        <>
          {isSelected !== null && (
            <span role="cell" className="relative z-1 flex">
              <input
                type="checkbox"
                aria-label={texts.select(device.name)}
                checked={isSelected}
                onChange={(event) => onSelect(device.id, event.target.checked)}
                className="size-4 accent-(--accent) pointer-coarse:size-6"
              />
            </span>
          )}
          <span role="cell" className="flex min-w-0 items-center gap-2">
            <StatusMark
              isBare
              kind={device.status === 'online' ? 'good' : 'bad'}
              label={device.status === 'online' ? messages.online : messages.offline}
            />
            <a
              href={`/devices/${encodeURIComponent(device.id)}`}
              title={device.name}
              className="truncate font-medium after:absolute after:inset-0"
            >
              {device.name}
            </a>
          </span>
          <span role="cell" className="truncate text-muted" title={reason}>
            {showing}
          </span>
          <span role="cell" className="hidden truncate text-muted md:block" title={storeName}>
            {storeName}
          </span>
          <span role="cell" className="hidden truncate text-muted md:block" title={lastHeard}>
            {lastHeard}
          </span>
          <span role="cell" className="hidden truncate text-muted md:block">
            {device.player_version}
          </span>
        </>
      ) : (
        <span
          role="cell"
          aria-label={messages.loading}
          className="-col-end-1 col-start-1 h-3 rounded bg-raised"
        />
      )}
    </div>
  );
});
