import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormat } from '../i18n/format.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { progressQuery } from './deployment-progress.ts';
import type { Progress } from './deployment-progress.ts';
import { newestDeploymentQuery } from './playlist-queries.ts';
import { useTexts } from './texts.ts';

/** How far the newest deployment is: only what screens have said counts. */
export function DeploymentPanel({ playlistId }: { playlistId: string }) {
  const texts = useTexts();
  const format = useFormat();
  const deployment = useQuery(newestDeploymentQuery(playlistId));
  if (deployment.error) {
    return <ErrorMessage error={deployment.error} onRetry={() => void deployment.refetch()} />;
  }
  return (
    <Panel
      title={texts.deployment}
      aside={deployment.data && texts.deployedAt(format.instant(deployment.data.created_at))}
    >
      {deployment.isPending && <Skeleton className="h-16" />}
      {deployment.data === null && <p className="text-muted">{texts.notDeployed}</p>}
      {deployment.data && <ProgressList deploymentId={deployment.data.id} playlistId={playlistId} />}
    </Panel>
  );
}

const KINDS = { waiting: 'idle', offline: 'bad', applied: 'idle', showing: 'good' } as const;

function ProgressList({ deploymentId, playlistId }: { deploymentId: string; playlistId: string }) {
  const texts = useTexts();
  const format = useFormat();
  const query = useQuery(progressQuery(deploymentId, playlistId));
  if (query.error && !query.data) {
    return <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (!query.data) {
    return <Skeleton className="h-16" />;
  }
  const { total, applied, showing, screens } = query.data;
  if (total === 0) {
    return <p className="text-muted">{texts.noneReached}</p>;
  }
  const all = format.number(total);
  const states = {
    waiting: texts.stateWaiting,
    offline: texts.stateOffline,
    applied: texts.stateApplied,
    showing: texts.stateShowing,
  };
  const isHere = showing === total || (showing === null && applied === total);
  return (
    <>
      <p role="status">
        <StatusMark kind={isHere ? 'good' : 'warn'} label={summaryOf(query.data, texts, format.number)} />
      </p>
      <ProgressBar label={texts.onItsWay(format.number(applied), all)} value={applied} max={total} />
      <ul className="flex max-h-64 flex-col gap-1 overflow-y-auto">
        {screens.map(({ id, name, state }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4">
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: id }}
              title={name}
              className="min-w-0 truncate hover:underline"
            >
              {name}
            </Link>
            <StatusMark kind={KINDS[state]} label={states[state]} />
          </li>
        ))}
      </ul>
    </>
  );
}

function summaryOf(
  { total, applied, showing }: Progress,
  texts: ReturnType<typeof useTexts>,
  number: (value: number) => string,
): string {
  if (applied < total) {
    return texts.onItsWay(number(applied), number(total));
  }
  return showing === null ? texts.applied(number(total)) : texts.showing(number(showing), number(total));
}
