import type { Rollout } from '@placard/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useIsBound, useMay } from '../api/account.ts';
import { newestRolloutQuery } from '../api/newest-rollout.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Pages } from '../ui/pages.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { isUnfinished, rolloutListQuery } from './rollout-queries.ts';
import { RolloutsFrame } from './rollouts-frame.tsx';
import { StartDialog } from './start-dialog.tsx';
import { useTexts } from './texts.ts';
import { titleOf, useStateWords } from './words.ts';

const route = getRouteApi('/signed-in/devices/rollouts');

/** All rollouts of player versions, newest first. */
export function RolloutsPage() {
  const messages = useMessages();
  const texts = useTexts();
  const { create, page } = route.useSearch();
  const navigate = route.useNavigate();
  const isBound = useIsBound();
  const newest = useQuery({ ...newestRolloutQuery, enabled: !isBound }).data;
  const mayWrite = useMay('Write');
  const mayStart = mayWrite && newest !== undefined && (newest === null || !isUnfinished(newest));
  return (
    <RolloutsFrame
      title={texts.title}
      back={
        <Link to="/devices" className="text-muted hover:text-text">
          ← {messages.devices}
        </Link>
      }
      aside={
        mayStart && (
          <Button
            look="primary"
            className="ms-auto"
            onClick={() => void navigate({ search: (old) => ({ ...old, create: 'yes' }) })}
          >
            {texts.start}
          </Button>
        )
      }
    >
      {() => (
        <>
          <RolloutList
            page={page ?? 1}
            onChoosePage={(to) => void navigate({ search: (old) => ({ ...old, page: to }) })}
          />
          {create !== undefined && mayWrite && (
            <StartDialog
              onClose={() =>
                void navigate({ search: (old) => ({ ...old, create: undefined }), replace: true })
              }
            />
          )}
        </>
      )}
    </RolloutsFrame>
  );
}

function RolloutList({ page, onChoosePage }: { page: number; onChoosePage: (page: number) => void }) {
  const texts = useTexts();
  const mayWrite = useMay('Write');
  const list = useQuery({ ...rolloutListQuery(page), placeholderData: keepPreviousData });
  if (list.data?.rows.length === 0) {
    return (
      <div className="mx-auto flex max-w-lg flex-col items-center gap-3 py-12 text-center">
        <h2 className="text-lg font-semibold">{texts.none}</h2>
        <p className="text-muted">{texts.noneHint}</p>
      </div>
    );
  }
  return (
    <Panel title={texts.rollouts}>
      {list.error && <ErrorMessage error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-20" />}
      {list.data && (
        <ul aria-label={texts.rollouts} className="flex flex-col divide-y divide-line">
          {list.data.rows.map((rollout) => (
            <RolloutRow key={rollout.id} rollout={rollout} />
          ))}
        </ul>
      )}
      <Pages page={list.data?.page ?? page} pages={list.data?.pages ?? 0} onChoose={onChoosePage} />
      {mayWrite && page === 1 && list.data?.rows.some(isUnfinished) && (
        <p className="text-muted">{texts.startAfter}</p>
      )}
    </Panel>
  );
}

function RolloutRow({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const format = useFormat();
  const stateWords = useStateWords();
  return (
    <li className="grid items-center gap-x-4 gap-y-1 py-3 md:grid-cols-2 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)_minmax(0,4fr)_minmax(0,3fr)]">
      <Link
        to="/devices/rollouts/$rolloutId"
        params={{ rolloutId: rollout.id }}
        className="min-w-0 py-1 font-semibold [overflow-wrap:anywhere] hover:underline"
      >
        {titleOf(rollout)}
      </Link>
      <StatusMark {...stateWords(rollout)} />
      <Progress rollout={rollout} />
      <span className="text-muted">{texts.began(format.instant(rollout.created_at))}</span>
    </li>
  );
}

/** How many screens have the version: of the current ring, or of all once it has finished. */
function Progress({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const format = useFormat();
  const ring = rollout.rings[rollout.ring - 1];
  if (!ring || rollout.fleet === 0) {
    return <span />;
  }
  const isOver = rollout.status === 'finished';
  const updated = isOver ? rollout.rings.reduce((sum, each) => sum + each.updated, 0) : ring.updated;
  const of = isOver ? rollout.fleet : ring.chosen;
  const words = (isOver ? texts.updatedOfAll : texts.updatedOfRing)(
    format.number(updated),
    format.number(of),
  );
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span>{words}</span>
      <ProgressBar label={words} value={updated} max={of} />
    </div>
  );
}
