import type { Rollout } from '@placard/client';
import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../i18n/format.ts';
import { textOf } from '../i18n/text-of.ts';
import { Panel } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { comparisonQuery, isUnfinished } from './rollout-queries.ts';
import { useTexts } from './texts.ts';
import { useValues } from './values.ts';
import { useStateWords } from './words.ts';
import type { MarkKind } from './words.ts';

const HOUR_MS = 3_600_000;
type Ring = Rollout['rings'][number];
/** What is said of a ring in words; further counts of a newer cloud are shown by their names. */
const NAMED: ReadonlySet<string> = new Set<keyof Ring>([
  'percent',
  'chosen',
  'updated',
  'waiting',
  'told',
  'failed',
]);

/** The rings of a rollout, with how many screens of each have the version. */
export function RingsPanel({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const format = useFormat();
  const { hours } = useValues();
  const { kind } = useStateWords()(rollout);
  const { data } = useQuery({ ...comparisonQuery(rollout), enabled: rollout.ring > 0 });
  const since = data?.ring === rollout.ring ? data.since : null;
  const nextMs = since === null ? 0 : Date.parse(since) + rollout.hold_hours * HOUR_MS;
  return (
    <Panel title={texts.rings}>
      <ol aria-label={texts.rings} className="flex flex-col divide-y divide-line">
        {rollout.rings.map((ring, index) => (
          <RingRow
            key={ring.percent}
            ring={ring}
            number={index + 1}
            kind={ringKind(rollout, index + 1, kind)}
            state={textOf(texts.ringState, ringState(rollout, index + 1, since !== null))}
          />
        ))}
      </ol>
      {rollout.status === 'running' && (
        <p className="max-w-prose text-muted">
          {rollout.ring === rollout.rings.length
            ? texts.next.lastRing(hours(rollout.hold_hours))
            : since === null
              ? texts.next.afterComparison(hours(rollout.hold_hours))
              : nextMs > Date.now()
                ? texts.next.at(format.instant(new Date(nextMs).toISOString()))
                : texts.next.overdue}
        </p>
      )}
    </Panel>
  );
}

function RingRow({
  ring,
  number,
  kind,
  state,
}: {
  ring: Ring;
  /** From 1. */
  number: number;
  kind: MarkKind;
  state: string;
}) {
  const texts = useTexts();
  const format = useFormat();
  const { share } = useValues();
  const words = texts.updatedOf(format.number(ring.updated), ring.chosen);
  const counts = (['waiting', 'told', 'failed'] as const)
    .filter((name) => ring[name] > 0)
    .map((name) => texts.counts[name](ring[name]));
  const others = Object.entries<unknown>(ring).flatMap(([name, value]) =>
    NAMED.has(name) || typeof value !== 'number' ? [] : [`${name}: ${format.number(value)}`],
  );
  return (
    <li className="grid items-center gap-x-4 gap-y-1 py-3 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_minmax(0,5fr)]">
      <span className="font-medium">{texts.ringOf(format.number(number), share(ring.percent))}</span>
      <StatusMark kind={kind} label={state} />
      <div className="flex min-w-0 flex-col gap-1">
        <span>{[words, ...counts, ...others].join(' · ')}</span>
        <ProgressBar label={words} value={ring.updated} max={ring.chosen} />
      </div>
    </li>
  );
}

/** A state that has a text, or one of a newer cloud as it is. */
function ringState(rollout: Rollout, ring: number, isCompared: boolean): string {
  if (ring !== rollout.ring) {
    return ring < rollout.ring ? 'done' : isUnfinished(rollout) ? 'later' : 'notReached';
  }
  switch (rollout.status) {
    case 'finished':
      return 'done';
    case 'running':
      return isCompared ? 'comparing' : (rollout.rings[ring - 1]?.waiting ?? 0) > 0 ? 'telling' : 'answering';
    case 'held':
    case 'stopped':
    case 'selecting':
    default:
      return rollout.status;
  }
}

/** @param current that of the rollout, which is also that of its current ring */
const ringKind = (rollout: Rollout, ring: number, current: MarkKind): MarkKind =>
  ring === rollout.ring && rollout.status !== 'finished' ? current : ring <= rollout.ring ? 'good' : 'idle';
