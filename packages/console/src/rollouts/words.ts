import type { Rollout } from '@placard/client';
import type { ComponentProps } from 'react';
import { useFormat } from '../i18n/format.ts';
import type { StatusMark } from '../ui/status-mark.tsx';
import { useTexts } from './texts.ts';
import { useValues } from './values.ts';

export type MarkKind = ComponentProps<typeof StatusMark>['kind'];

/** The name of a rollout, with its version. */
export const titleOf = ({ name, version }: Pick<Rollout, 'name' | 'version'>): string =>
  name === null ? version : `${version} · ${name}`;

const WHO_STOPS: Readonly<Record<NonNullable<Rollout['cause']>['type'], 'person' | 'cloud'>> = {
  stopped_by_hand: 'person',
  worse: 'cloud',
  not_coming_back: 'cloud',
  broken_update: 'cloud',
  too_few_updated: 'cloud',
  nothing_compared: 'cloud',
  nothing_older: 'cloud',
};

/**
 * Who has stopped a rollout; null when it was not stopped, and when that is not known: an older cloud has stored a sentence, a newer
 * one has other causes.
 */
const stoppedBy = ({ status, cause }: Rollout): 'person' | 'cloud' | null =>
  status === 'stopped' && cause !== null && Object.hasOwn(WHO_STOPS, cause.type)
    ? WHO_STOPS[cause.type]
    : null;

export const isStoppedByItself = (rollout: Rollout): boolean => stoppedBy(rollout) === 'cloud';

/** The name of a cause, if there is one. */
const named = (cause: Rollout['cause']): string[] => (cause === null ? [] : [cause.type]);

/** Says how far a rollout is. */
export function useStateWords() {
  const texts = useTexts();
  const format = useFormat();
  const { share } = useValues();
  return (rollout: Rollout): { kind: MarkKind; label: string } => {
    const ring = rollout.rings[rollout.ring - 1];
    const at = texts.atRing(
      format.number(rollout.ring),
      format.number(rollout.rings.length),
      share(ring?.percent ?? 0),
    );
    switch (rollout.status) {
      case 'running':
        return { kind: 'good', label: texts.running(at) };
      case 'held':
        return { kind: 'warn', label: texts.held(at) };
      case 'stopped':
        switch (stoppedBy(rollout)) {
          case 'cloud':
            return { kind: 'bad', label: texts.stopped(at) };
          case 'person':
            return { kind: 'idle', label: ring ? texts.stoppedByHand(at) : texts.stoppedBeforeBeginning };
          case null:
            return { kind: 'idle', label: [texts.stoppedAt(at), ...named(rollout.cause)].join(' · ') };
        }
      case 'finished':
        return { kind: 'idle', label: texts.finished };
      case 'selecting':
        return { kind: 'idle', label: texts.selecting };
      default:
        return { kind: 'idle', label: rollout.status };
    }
  };
}

/** Says why a rollout is as it is, and what to do; of a cause that this console does not know, what the API says. */
export function useCauseWords() {
  const texts = useTexts();
  const format = useFormat();
  const values = useValues();
  const say = ({ cause, reason }: Rollout): string | null => {
    switch (cause?.type) {
      case 'stopped_by_hand':
        return texts.causes.stopped_by_hand(cause.name);
      case 'worse': {
        if (!Object.hasOwn(texts.measures, cause.measure)) {
          return reason;
        }
        const measured = (value: number) => values.measured(cause.measure, value);
        return texts.causes.worse({
          what: texts.measures[cause.measure],
          kind: values.kind(cause),
          before: measured(cause.before),
          after: measured(cause.after),
          updated: cause.updated,
          othersBefore: measured(cause.others_before),
          othersAfter: measured(cause.others_after),
          others: cause.others,
        });
      }
      case 'not_coming_back':
        return texts.causes.not_coming_back({
          silent: format.number(cause.silent),
          told: cause.told,
          kind: values.kind(cause),
          othersSilent: format.number(cause.others_silent),
          others: cause.others,
        });
      case 'broken_update':
        return texts.causes.broken_update({
          broken: format.number(cause.broken),
          answered: cause.answered,
          kind: values.kind(cause),
        });
      case 'too_few_updated':
        return texts.causes.too_few_updated({
          alive: format.number(cause.alive),
          chosen: cause.chosen,
          failed: format.number(cause.failed),
          told: format.number(cause.told),
        });
      case 'nothing_compared':
      case 'nothing_older':
        return texts.causes[cause.type];
      case undefined:
      default:
        return reason;
    }
  };
  const advice: Readonly<Record<string, string>> = texts.advice;
  return (rollout: Rollout) => ({
    why: say(rollout),
    whatToDo: rollout.cause ? (advice[rollout.cause.type] ?? '') : '',
  });
}
