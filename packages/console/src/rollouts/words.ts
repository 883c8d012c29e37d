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

/** The text for a word of the API; one that this console does not know is shown as it is. */
export const textOf = (texts: Readonly<Record<string, string>>, word: string): string =>
  Object.hasOwn(texts, word) ? (texts[word] ?? word) : word;

/** Null for a cause: an older cloud has stored a sentence, which may be about either. */
export const isStoppedByItself = ({ status, cause }: Rollout): boolean =>
  status === 'stopped' && cause !== null && cause.type !== 'stopped_by_hand';

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
        return isStoppedByItself(rollout)
          ? { kind: 'bad', label: texts.stopped(at) }
          : {
              kind: 'idle',
              label:
                rollout.cause === null
                  ? texts.stoppedAt(at)
                  : ring
                    ? texts.stoppedByHand(at)
                    : texts.stoppedBeforeBeginning,
            };
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
  const kindOf = (kind: string | null) => (kind === null ? '' : values.kind(kind));
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
          kind: kindOf(cause.kind),
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
          kind: kindOf(cause.kind),
          othersSilent: format.number(cause.others_silent),
          others: cause.others,
        });
      case 'broken_update':
        return texts.causes.broken_update({
          broken: format.number(cause.broken),
          answered: cause.answered,
          kind: kindOf(cause.kind),
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
