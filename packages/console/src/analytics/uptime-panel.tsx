import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { uptimeQuery } from './analytics-queries.ts';
import type { AnalyticsSearch } from './analytics-search.ts';
import { useTexts } from './texts.ts';

const STEP = 20;

/** How much of its observed time each screen was online, lowest first. */
export function UptimePanel({ search }: { search: AnalyticsSearch }) {
  const messages = useMessages();
  const texts = useTexts();
  const format = useFormat();
  const [shown, setShown] = useState(STEP);
  const { data, error, refetch } = useQuery(uptimeQuery(search));
  const rows = data?.filter((row) => search.device === undefined || row.device_id === search.device);
  return (
    <Panel title={texts.uptime} aside={texts.lowestFirst}>
      <p className="text-muted">{texts.uptimeHint}</p>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-40" />}
      {rows?.length === 0 && <p className="text-muted">{texts.noScreens}</p>}
      <ul>
        {rows?.slice(0, shown).map((row) => (
          <li
            key={row.device_id}
            className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 border-t border-line py-1.5 first:border-0"
          >
            <StatusMark
              kind={row.status === 'online' ? 'good' : 'bad'}
              label={row.status === 'online' ? messages.online : messages.offline}
              isBare
            />
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: row.device_id }}
              className="flex min-h-8 items-center [overflow-wrap:anywhere] hover:underline pointer-coarse:min-h-11"
            >
              {row.name}
            </Link>
            <span className={row.uptime_percent === null ? 'text-muted' : 'font-medium'}>
              {row.uptime_percent === null
                ? texts.notObserved
                : `${format.number(Math.floor(row.uptime_percent * 100) / 100)} %`}
            </span>
          </li>
        ))}
      </ul>
      {rows && rows.length > shown && (
        <Button className="self-start" onClick={() => setShown(shown + 5 * STEP)}>
          {texts.more}
        </Button>
      )}
    </Panel>
  );
}
