import type { Data } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { deviceLogFileQuery, deviceLogsQuery, isOpenRequest } from './device-queries.ts';
import { FollowLog } from './follow-log.tsx';
import { useDeviceTexts } from './texts.ts';

type Logs = NonNullable<Data<'getLogs'>['logs']>;

/** The newest logs of the device, to look at and to download, and a button for newer ones. */
export function LogsPanel({ deviceId }: { deviceId: string }) {
  const texts = useDeviceTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const query = useQuery(deviceLogsQuery(deviceId));
  const ask = useMutation({
    mutationFn: () => placard.devices.requestLogs(deviceId),
    onSuccess: (request) =>
      queries.setQueryData(deviceLogsQuery(deviceId).queryKey, (before) => ({
        logs: before?.logs ?? null,
        request,
      })),
  });
  const { logs, request } = query.data ?? { logs: null, request: null };
  const isWaiting = ask.isPending || isOpenRequest(request);
  return (
    <Panel title={texts.logs} aside={logs && format.ago(logs.taken_at)}>
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {ask.error && <ErrorMessage error={ask.error} />}
      {logs && (
        <ul className="flex flex-col gap-2">
          {logs.files.map((file) => (
            <LogFile key={`${file.name} ${logs.taken_at}`} logs={logs} file={file} />
          ))}
        </ul>
      )}
      <p role="status" className="text-muted empty:hidden">
        {isWaiting
          ? texts.logsWaiting
          : request?.status === 'expired'
            ? texts.screenshotExpired
            : request?.status === 'failed'
              ? texts.logsFailed(request.problem ?? '')
              : query.data && !logs
                ? texts.noLogs
                : ''}
      </p>
      <Button className="self-start" isBusy={isWaiting} onClick={() => ask.mutate()}>
        {texts.fetchLogs}
      </Button>
      <FollowLog deviceId={deviceId} />
    </Panel>
  );
}

function LogFile({ logs, file }: { logs: Logs; file: Logs['files'][number] }) {
  const texts = useDeviceTexts();
  const format = useFormat();
  const [isOpen, setIsOpen] = useState(false);
  const text = useQuery({
    ...deviceLogFileQuery(logs.device_id, file.name, logs.taken_at),
    enabled: isOpen,
  });
  return (
    <li className="flex flex-col gap-2 border-t border-line pt-2 first:border-0">
      <div className="flex flex-wrap items-center gap-2">
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? '▾' : '▸'} {file.name}
        </Button>
        <span className="text-muted">{format.bytes(file.size)}</span>
        <a href={file.url} download className="ms-auto text-accent underline">
          {texts.download}
        </a>
      </div>
      {isOpen && text.error && <ErrorMessage error={text.error} onRetry={() => void text.refetch()} />}
      {isOpen && text.isPending && <Skeleton className="h-40" />}
      {isOpen && text.data !== undefined && (
        <pre
          tabIndex={0}
          aria-label={file.name}
          className="max-h-96 overflow-auto rounded-lg bg-raised p-3 text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {text.data}
        </pre>
      )}
    </li>
  );
}
