import type { Rollout } from '@placard/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useIsBound, useMay } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useFilterWords } from '../device-filter/filter-words.ts';
import { useFormat } from '../i18n/format.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Facts, Panel, Skeleton } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { ComparisonPanel } from './comparison-panel.tsx';
import { DevicesPanel } from './devices-panel.tsx';
import { RingsPanel } from './rings-panel.tsx';
import { isForAll, isUnfinished, rolloutQuery } from './rollout-queries.ts';
import { RolloutsFrame } from './rollouts-frame.tsx';
import { useTexts } from './texts.ts';
import { useValues } from './values.ts';
import { isStoppedByItself, titleOf, useCauseWords, useStateWords } from './words.ts';

const route = getRouteApi('/signed-in/devices/rollouts/$rolloutId');

/** One rollout: how far it is, what is compared, and its screens. */
export function RolloutPage() {
  const { rolloutId } = route.useParams();
  const texts = useTexts();
  const query = useQuery({ ...rolloutQuery(rolloutId), enabled: !useIsBound() });
  const rollout = query.data;
  return (
    <RolloutsFrame
      title={rollout ? titleOf(rollout) : texts.title}
      back={
        <Link to="/devices/rollouts" className="text-muted hover:text-text">
          ← {texts.title}
        </Link>
      }
      aside={rollout && <Actions rollout={rollout} />}
    >
      {() => (
        <>
          {query.error && !rollout && (
            <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />
          )}
          {query.isPending && <Skeleton className="h-96" />}
          {rollout && (
            <>
              <StatePanel rollout={rollout} />
              {rollout.fleet > 0 && (
                <>
                  <RingsPanel rollout={rollout} />
                  <ComparisonPanel rollout={rollout} />
                  <DevicesPanel rollout={rollout} />
                </>
              )}
            </>
          )}
        </>
      )}
    </RolloutsFrame>
  );
}

/** What the person may do with a rollout in its state. */
function Actions({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayWrite = useMay('Write');
  const mayDelete = useMay('Admin');
  const readAgain = () => queries.invalidateQueries({ queryKey: ['rollouts'] });
  return (
    <div className="ms-auto flex flex-wrap items-center gap-2">
      {mayWrite && rollout.status === 'held' && (
        <ConfirmButton
          label={texts.continue}
          question={texts.continueQuestion(rollout.rings[rollout.ring]?.chosen ?? 0)}
          hint={texts.continueHint}
          onConfirm={async () => {
            await placard.rollouts.continue(rollout.id);
            await readAgain();
          }}
        />
      )}
      {mayWrite && isUnfinished(rollout) && (
        <ConfirmButton
          label={texts.stop}
          question={texts.stopQuestion(titleOf(rollout))}
          hint={texts.stopHint}
          onConfirm={async () => {
            await placard.rollouts.stop(rollout.id);
            await readAgain();
          }}
        />
      )}
      {mayDelete && !isUnfinished(rollout) && (
        <ConfirmButton
          label={texts.delete}
          question={texts.deleteQuestion(titleOf(rollout))}
          hint={rollout.holds_updates ? `${texts.deleteHint} ${texts.deleteHolding}` : texts.deleteHint}
          onConfirm={async () => {
            await placard.rollouts.delete(rollout.id);
            await navigate({ to: '/devices/rollouts' });
            queries.removeQueries({ queryKey: rolloutQuery(rollout.id).queryKey });
            await readAgain();
          }}
        />
      )}
    </div>
  );
}

/** How far it is, and why; what to do when it needs somebody. */
function StatePanel({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const format = useFormat();
  const { hours } = useValues();
  const stateWords = useStateWords();
  const filterWords = useFilterWords();
  const { why, whatToDo } = useCauseWords()(rollout);
  const look =
    rollout.status === 'held' ? 'bg-warn-panel' : isStoppedByItself(rollout) ? 'bg-bad-panel' : 'bg-raised';
  return (
    <Panel title={texts.state}>
      <p role="status" className="font-semibold">
        <StatusMark {...stateWords(rollout)} />
      </p>
      {why !== null && (
        <div className={`flex flex-col gap-2 rounded-lg p-3 ${look}`}>
          <p className="max-w-prose [overflow-wrap:anywhere]">{why}</p>
          {whatToDo !== '' && (
            <p className="max-w-prose">
              <strong className="font-semibold">{texts.whatToDo}:</strong> {whatToDo}
            </p>
          )}
        </div>
      )}
      {rollout.holds_updates && (
        <p className="max-w-prose">
          {isUnfinished(rollout) && isForAll(rollout) ? texts.holdsUpdates : texts.holdsUntilAll}
        </p>
      )}
      {rollout.self_updating > 0 && (
        <p className="max-w-prose">
          <StatusMark kind="warn" label={texts.selfUpdating(rollout.self_updating)} />
        </p>
      )}
      <Facts
        facts={[
          [texts.version, rollout.version],
          [texts.screens, filterWords(rollout.filter)],
          ...(rollout.ring > 0 ? [[texts.reached, format.number(rollout.fleet)] as const] : []),
          [texts.heldFor, hours(rollout.hold_hours)],
          [texts.beganAt, format.instant(rollout.created_at)],
          ...(rollout.finished_at === null
            ? []
            : [[texts.endedAt, format.instant(rollout.finished_at)] as const]),
        ]}
      />
    </Panel>
  );
}
