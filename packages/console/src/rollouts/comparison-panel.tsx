import type { Rollout, RolloutComparison } from '@placard/client';
import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../i18n/format.ts';
import { textOf } from '../i18n/text-of.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { comparisonQuery, isUnfinished } from './rollout-queries.ts';
import { useTexts } from './texts.ts';
import { useValues } from './values.ts';
import type { Measure } from './values.ts';

type Kind = RolloutComparison['kinds'][number];

/** What the screens of the current ring report before and after, beside those whose turn has not come. */
export function ComparisonPanel({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const format = useFormat();
  const { data: read, error, isPending, refetch } = useQuery(comparisonQuery(rollout));
  // Of the ring before, until it is read again.
  const data = read?.ring === rollout.ring ? read : undefined;
  const since = data?.since ?? null;
  const kinds = data?.kinds.filter(({ measures }) => measures.length > 0) ?? [];
  return (
    <Panel
      title={texts.comparison}
      aside={since === null ? undefined : texts.comparedSince(format.instant(since))}
    >
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-40" />}
      {data && kinds.length === 0 && (
        <p className="max-w-prose text-muted">
          {rollout.ring === rollout.rings.length
            ? texts.lastNotCompared
            : since === null
              ? isUnfinished(rollout)
                ? texts.notComparedYet
                : texts.endedBefore
              : isUnfinished(rollout)
                ? texts.notEnoughYet
                : texts.nothingReported}
        </p>
      )}
      {kinds.length > 0 && <ComparisonTable rollout={rollout} kinds={kinds} />}
    </Panel>
  );
}

const CELL = 'py-1.5 ps-3 text-end sm:whitespace-nowrap';

function ComparisonTable({ rollout: { cause }, kinds }: { rollout: Rollout; kinds: readonly Kind[] }) {
  const texts = useTexts();
  const values = useValues();
  const isCause = (kind: string, measure: Measure) =>
    cause?.type === 'worse' && cause.measure === measure && (cause.kind ?? kind) === kind;
  return (
    <table aria-label={texts.comparison} className="w-full max-w-3xl border-collapse">
      <thead className="text-muted">
        <tr>
          <th scope="col" className="py-1.5 text-start font-medium">
            {texts.measure}
          </th>
          <th scope="col" className="py-1.5 ps-3 text-end font-medium">
            {texts.withUpdate}
          </th>
          <th scope="col" className="py-1.5 ps-3 text-end font-medium">
            {texts.withoutUpdate}
          </th>
        </tr>
      </thead>
      {kinds.map(({ updated, others, measures, ...each }) => (
        <tbody key={each.kind}>
          <tr className="border-t border-line">
            <th scope="rowgroup" colSpan={3} className="pt-3 pb-1 text-start [overflow-wrap:anywhere]">
              <span className="font-semibold">{values.kind(each)}</span>{' '}
              <span className="font-normal text-muted">{texts.kindScreens(updated, others)}</span>
            </th>
          </tr>
          {measures.map((row) => (
            <tr key={row.measure} className={isCause(each.kind, row.measure) ? 'bg-bad-panel' : ''}>
              <th scope="row" className="py-1.5 text-start font-normal sm:w-full">
                {isCause(each.kind, row.measure) ? (
                  <StatusMark
                    kind="bad"
                    label={`${textOf(texts.measures, row.measure)} · ${texts.stoppedForThis}`}
                  />
                ) : (
                  textOf(texts.measures, row.measure)
                )}
              </th>
              <td className={CELL}>
                <Change
                  before={values.measured(row.measure, row.before)}
                  after={values.measured(row.measure, row.after)}
                />
              </td>
              <td className={`${CELL} text-muted`}>
                <Change
                  before={values.measured(row.measure, row.others_before)}
                  after={values.measured(row.measure, row.others_after)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

function Change({ before, after }: { before: string; after: string }) {
  return (
    <>
      <span className="whitespace-nowrap">{before} →</span> <span className="whitespace-nowrap">{after}</span>
    </>
  );
}
