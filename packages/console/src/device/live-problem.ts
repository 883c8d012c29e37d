import { PlacardError } from '@placard/client';
import type { DeviceTexts } from './texts/english.ts';

const detailOf = ({ details }: PlacardError, name: string): unknown =>
  typeof details === 'object' && details !== null ? Reflect.get(details, name) : undefined;

/** Whether the next request may be answered: after a lost answer, or when a screen connects again. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof PlacardError) ||
  error.status >= 500 ||
  ['no_socket', 'no_answer'].includes(String(detailOf(error, 'reason')));

/** Why a screen does not answer, in the language of the person; null: the sentence of the API says it. */
export function liveProblemOf(error: unknown, texts: DeviceTexts): string | null {
  if (!(error instanceof PlacardError)) {
    return null;
  }
  if (error.code === 'SCREENSHOTS_FORBIDDEN') {
    return texts.forbiddenBy[detailOf(error, 'by') === 'device' ? 'device' : 'organization'];
  }
  if (error.code !== 'NO_LIVE_ANSWER') {
    return null;
  }
  const [reason, problem] = [detailOf(error, 'reason'), detailOf(error, 'problem')];
  switch (reason) {
    case 'offline':
    case 'no_socket':
    case 'player_too_old':
    case 'no_answer':
      return texts.liveProblem[reason];
    case 'failed':
      return texts.liveFailed(typeof problem === 'string' ? problem : '');
    default:
      return null;
  }
}
