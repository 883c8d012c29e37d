import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { deviceWeekQuery } from './device-queries.ts';
import { daysOf } from './week-days.ts';
import { useDeviceTexts } from './texts.ts';

const COLOURS = ['bg-accent/25', 'bg-warn/25', 'bg-good/25', 'bg-bad/20', 'bg-muted/25'];

/** Each day as a bar of 24 hours in the zone of the device: what it should show when. */
export function WeekPanel({ deviceId }: { deviceId: string }) {
  const { messages, language } = useLanguage();
  const texts = useDeviceTexts();
  const format = useFormat();
  const { data, error, refetch } = useQuery(deviceWeekQuery(deviceId));
  const playlists = [...new Set(data?.segments.flatMap(({ playlist }) => (playlist ? [playlist.id] : [])))];
  const colourOf = (id: string) => COLOURS[playlists.indexOf(id) % COLOURS.length];
  return (
    <Panel title={texts.week} aside={data?.timezone}>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-56" />}
      {data && (
        <ol className="flex flex-col gap-1">
          {daysOf(data.segments, data.timezone).map(({ day, parts }) => (
            <li key={day} className="grid grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-2">
              <span className="text-muted">
                {new Intl.DateTimeFormat(language, {
                  weekday: 'short',
                  day: 'numeric',
                  timeZone: 'UTC',
                }).format(new Date(`${day}T12:00:00Z`))}
              </span>
              <span className="relative block h-7 overflow-hidden rounded bg-raised">
                {parts.map(({ segment, from, to }) => {
                  const name = segment.playlist?.name ?? messages.sourceNone;
                  return (
                    <span
                      key={`${segment.start} ${from}`}
                      title={`${format.clock(segment.start, data.timezone)} · ${name}\n${segment.reason}`}
                      className={`absolute inset-y-0 truncate border-s border-panel px-1 text-xs leading-7 ${segment.playlist ? colourOf(segment.playlist.id) : 'text-muted'}`}
                      style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
                    >
                      {name}
                    </span>
                  );
                })}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
