import { PlacardError } from '@placard/client';
import type { DeviceTexts } from './texts/english.ts';

/** Why a screen does not answer, in the language of the person; null: the sentence of the API says it. */
export function liveProblemOf(error: unknown, texts: DeviceTexts): string | null {
  if (!(error instanceof PlacardError) || error.code !== 'NO_LIVE_ANSWER') {
    return null;
  }
  const { details } = error;
  const field = (name: string): unknown =>
    typeof details === 'object' && details !== null ? Reflect.get(details, name) : undefined;
  const [reason, problem] = [field('reason'), field('problem')];
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
