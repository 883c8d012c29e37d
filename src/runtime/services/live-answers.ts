import type { LiveAnswer, LiveWanted } from '@placard/protocol';
import { errorMessage } from '../../core/error-details.ts';
import type { ServiceDeps } from '../base/service-deps.ts';

interface LiveAnswersDeps extends Pick<ServiceDeps, 'clock' | 'link' | 'wakeup' | 'onUnpaired' | 'log'> {
  wanted: LiveWanted;
  /** Rejects with the reason when there is none. */
  answer(signal: AbortSignal): Promise<LiveAnswer>;
}

/**
 * Between two answers. Nodes of the cloud that ask at the same time get one; a little less than a second, so that a request that
 * comes early need not wait.
 */
const MIN_GAP_MS = 900;
/** The cloud waits ten seconds for an answer. */
const ANSWER_WITHIN_MS = 7_000;
const IDLE_MS = 3_600_000;

/**
 * Answers what the cloud asks while somebody looks: one at a time, for all requests that arrive meanwhile. Nothing is stored, and
 * what cannot be sent is dropped, because nobody waits long for it.
 */
export function createLiveAnswers(deps: LiveAnswersDeps) {
  const { wanted, clock, link, wakeup, log } = deps;
  let isAsked = false;

  async function answerOrProblem(signal: AbortSignal): Promise<LiveAnswer> {
    const tooLong = new AbortController();
    const answered = new AbortController();
    void clock
      .sleep(ANSWER_WITHIN_MS, AbortSignal.any([signal, answered.signal]))
      .then(() => tooLong.abort());
    try {
      return await deps.answer(AbortSignal.any([signal, tooLong.signal]));
    } catch (error) {
      return { kind: 'problem', wanted, problem: errorMessage(error).slice(0, 300) };
    } finally {
      answered.abort();
    }
  }

  async function send(answer: LiveAnswer, signal: AbortSignal): Promise<void> {
    try {
      const response = await link.answerLive(answer, signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
      }
    } catch (error) {
      log.debug({ wanted, error: errorMessage(error) }, 'live.not_sent');
    }
  }

  return {
    name: `live-${wanted}`,
    /** Somebody looks. */
    request(): void {
      isAsked = true;
      wakeup.wake();
    },
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await wakeup.wait(IDLE_MS, signal);
        if (!isAsked || signal.aborted) {
          continue;
        }
        isAsked = false;
        const beganMonoMs = clock.monoMs();
        const answer = await answerOrProblem(signal);
        if (!signal.aborted) {
          await send(answer, signal);
        }
        await clock.sleep(Math.max(0, beganMonoMs + MIN_GAP_MS - clock.monoMs()), signal);
      }
    },
  };
}
