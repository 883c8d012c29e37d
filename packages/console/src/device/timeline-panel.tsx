import { useQuery } from '@tanstack/react-query';
import { coverQuery } from '../api/covers.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { ScreenPicture } from '../ui/screen-picture.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { deviceTimelineQuery } from './device-queries.ts';
import type { DeviceDetail } from './device-queries.ts';

/** What it shows now and why, and what comes next. */
export function TimelinePanel({ device }: { device: DeviceDetail }) {
  const messages = useMessages();
  const format = useFormat();
  const { data, error, refetch } = useQuery(deviceTimelineQuery(device.id));
  const [now, ...next] = data?.segments ?? [];
  const playlist = now?.playlist?.id;
  const cover = useQuery({ ...coverQuery(playlist ?? ''), enabled: playlist !== undefined });
  const said = device.current_playlist;
  // Only what the screen itself has said, and may still say, is shown as a fact.
  const isShowing = device.status === 'online' && said !== null && said.id === now?.playlist?.id;
  return (
    <>
      <Panel title={isShowing ? messages.showingNow : messages.shouldShow} aside={data?.timezone}>
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton className="h-12" />}
        {now && (
          <div className="flex flex-wrap items-center gap-4">
            <ScreenPicture
              orientation={device.orientation}
              isOffline={device.status === 'offline'}
              src={cover.data ?? null}
            />
            <div className="flex min-w-0 flex-1 basis-48 flex-col gap-2">
              <p className="text-lg font-semibold [overflow-wrap:anywhere]">
                {now.playlist?.name ?? messages.sourceNone}
              </p>
              <p className="text-muted">{now.reason}</p>
              <StatusMark
                kind={isShowing ? 'good' : 'warn'}
                label={
                  said === null
                    ? messages.screenSaidNothing
                    : messages.screenSaid(said.name ?? said.id, format.ago(said.since))
                }
              />
            </div>
          </div>
        )}
      </Panel>
      {data && next.length > 0 && (
        <Panel title={messages.comesNext} aside={data.timezone}>
          <ol className="flex flex-col">
            {next.map((segment) => (
              <li
                key={segment.start}
                className="grid grid-cols-[8rem_minmax(0,1fr)] gap-4 border-t border-line py-2 first:border-0"
                title={segment.reason}
              >
                <time dateTime={segment.start} className="text-muted">
                  {format.clock(segment.start, data.timezone)}
                </time>
                <span className="[overflow-wrap:anywhere]">
                  {segment.playlist?.name ?? messages.sourceNone}
                </span>
              </li>
            ))}
          </ol>
        </Panel>
      )}
    </>
  );
}
