import type { Alert } from '@placard/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { Pages } from '../ui/pages.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { alertListQuery } from './alert-queries.ts';
import type { AlertStatus } from './alert-queries.ts';
import { ScreensLink, useSubjectName } from './subject.tsx';
import { useTexts } from './texts.ts';
import { useConditionWords, useReasonWords } from './words.ts';

/** The alerts that are open or resolved, newest first. */
export function AlertList({
  status,
  page,
  onChoosePage,
  empty,
}: {
  status: AlertStatus;
  page: number;
  onChoosePage: (page: number) => void;
  /** Shown when there are none. */
  empty: ReactNode;
}) {
  const texts = useTexts();
  const list = useQuery({ ...alertListQuery(status, page), placeholderData: keepPreviousData });
  return (
    <Panel title={texts[status]}>
      {list.error && <ErrorMessage error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-20" />}
      {list.data?.rows.length === 0 && empty}
      {list.data && list.data.rows.length > 0 && (
        <ul aria-label={texts[status]} className="flex flex-col divide-y divide-line">
          {list.data.rows.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      <Pages page={list.data?.page ?? page} pages={list.data?.pages ?? 0} onChoose={onChoosePage} />
    </Panel>
  );
}

function AlertRow({ alert }: { alert: Alert }) {
  const texts = useTexts();
  const messages = useMessages();
  const format = useFormat();
  const subjectName = useSubjectName();
  const words = useConditionWords();
  const reasonWords = useReasonWords();
  const isOpen = alert.status === 'open';
  return (
    <li className="grid items-baseline gap-x-4 py-2 md:grid-cols-[minmax(0,3fr)_minmax(0,3fr)_6rem_minmax(0,3fr)]">
      <span className="flex min-w-0 items-baseline gap-2 py-1">
        <StatusMark kind={isOpen ? 'bad' : 'idle'} label={texts[alert.status]} isBare />
        <Link
          to="/alerts/$alertId"
          params={{ alertId: alert.id }}
          className="min-w-0 font-semibold [overflow-wrap:anywhere] hover:underline"
        >
          {subjectName(alert)}
        </Link>
      </span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{words(alert.condition)}</span>
      <ScreensLink alert={alert} />
      <span className="text-muted">
        {alert.resolved_at === null
          ? messages.showsSince(format.instant(alert.opened_at))
          : format.span(alert.opened_at, alert.resolved_at)}
        {alert.resolved_because !== null && alert.resolved_because !== 'over' && (
          <> · {reasonWords(alert.resolved_because)}</>
        )}
      </span>
    </li>
  );
}
