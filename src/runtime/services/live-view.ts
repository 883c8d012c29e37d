import { MAX_LIVE_PICTURE_PIXELS } from '@placard/protocol';
import type { LiveAnswer, LiveWanted } from '@placard/protocol';
import { errorMessage } from '../../core/error-details.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { WindowScreenshots } from '../base/window-screenshots.ts';

interface LiveViewDeps extends Pick<ServiceDeps, 'clock' | 'link' | 'wakeup' | 'onUnpaired' | 'log'> {
  takeScreenshot: WindowScreenshots['take'];
}

/** Between two pictures. The cloud asks once a second; what it sent late must not make this one late as well. */
const MIN_GAP_MS = 500;
const IDLE_MS = 3_600_000;

/**
 * Answers what the cloud asks while somebody looks at the screen: one picture at a time, for all requests that arrive meanwhile.
 * Nothing is stored, and what cannot be sent is dropped, because nobody waits long for it.
 */
export function createLiveView(deps: LiveViewDeps) {
  const { clock, link, wakeup, log } = deps;
  let wanted: LiveWanted | null = null;

  async function takePicture(signal: AbortSignal): Promise<LiveAnswer> {
    try {
      const { image } = await deps.takeScreenshot(signal, MAX_LIVE_PICTURE_PIXELS);
      return { kind: 'picture', image };
    } catch (error) {
      return { kind: 'problem', wanted: 'picture', problem: errorMessage(error).slice(0, 300) };
    }
  }

  async function send(answer: LiveAnswer, signal: AbortSignal): Promise<void> {
    try {
      const response = await link.answerLive(answer, signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
      }
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'live.not_sent');
    }
  }

  return {
    name: 'live-view',
    /** Somebody looks. */
    request(what: LiveWanted): void {
      wanted = what;
      wakeup.wake();
    },
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await wakeup.wait(IDLE_MS, signal);
        if (wanted === null || signal.aborted) {
          continue;
        }
        wanted = null;
        const beganMonoMs = clock.monoMs();
        const answer = await takePicture(signal);
        if (!signal.aborted) {
          await send(answer, signal);
        }
        await clock.sleep(Math.max(0, beganMonoMs + MIN_GAP_MS - clock.monoMs()), signal);
      }
    },
  };
}
