import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../i18n/format.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { deviceAuditQuery, devicePlaysQuery } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

const ROW = 'flex flex-wrap justify-between gap-x-4 border-t border-line py-2 first:border-0';

/** What it played. */
export function PlaysPanel({ deviceId }: { deviceId: string }) {
  const texts = useDeviceTexts();
  const { data, error, refetch } = useQuery(devicePlaysQuery(deviceId));
  return (
    <Panel title={texts.played}>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-12" />}
      {data?.length === 0 && <p className="text-muted">{texts.noPlays}</p>}
      <ul>
        {data?.map(({ key, name, plays }) => (
          <li key={key} className={ROW}>
            <span className="min-w-0 [overflow-wrap:anywhere]">{name ?? key}</span>
            <span className="text-muted">{texts.plays(plays)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Who changed what; the API shows it to Admins. */
export function AuditPanel({ deviceId }: { deviceId: string }) {
  const texts = useDeviceTexts();
  const format = useFormat();
  const { data, error, refetch } = useQuery(deviceAuditQuery(deviceId));
  return (
    <Panel title={texts.history}>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-12" />}
      {data?.length === 0 && <p className="text-muted">{texts.noHistory}</p>}
      <ul>
        {data?.map((entry) => (
          <li key={entry.id} className={ROW}>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {entry.action}
              {entry.changes.length > 0 && (
                <span className="text-muted"> · {entry.changes.map(({ field }) => field).join(', ')}</span>
              )}
            </span>
            <span className="text-muted">
              {entry.actor.name ?? entry.actor.type} ·{' '}
              <time dateTime={entry.created_at}>{format.instant(entry.created_at)}</time>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
