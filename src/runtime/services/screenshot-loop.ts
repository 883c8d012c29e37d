import { intervalsUntil } from '../../core/health/screenshot-interval.ts';
import { errorMessage } from '../../core/error-details.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';
import type { WindowScreenshots } from '../base/window-screenshots.ts';

interface ScreenshotLoopDeps extends Pick<
  ServiceDeps,
  'clock' | 'link' | 'playerState' | 'onUnpaired' | 'log'
> {
  deviceId: string;
  takeScreenshot: WindowScreenshots['take'];
}

/** Clock and settings may change meanwhile. */
const POLL_INTERVAL_MS = 60_000;

/** Sends a picture of the screen every so many minutes, if the settings say so. One that cannot be sent is not sent later. */
export function createScreenshotLoop(deps: ScreenshotLoopDeps): Service {
  const { clock, link, playerState, log } = deps;

  async function sendPicture(signal: AbortSignal): Promise<void> {
    try {
      const response = await link.sendScreenshot(await deps.takeScreenshot(signal), signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
      } else if (response.kind === 'refused') {
        log.info({ code: response.code }, 'screenshot.refused');
      }
    } catch (error) {
      log.info({ error: errorMessage(error) }, 'screenshot.not_sent');
    }
  }

  return {
    name: 'screenshots',
    async run(signal) {
      let last = { minutes: 0, number: 0 };
      while (!signal.aborted) {
        const minutes = playerState.fields.screenshotInterval ?? 0;
        const intervals = minutes === 0 ? 0 : intervalsUntil(deps.deviceId, minutes, clock.wallMs());
        const number = Math.floor(intervals);
        const isDue = minutes === last.minutes && number > last.number;
        last = { minutes, number };
        if (isDue) {
          await sendPicture(signal);
        }
        const untilNextMs = minutes === 0 ? POLL_INTERVAL_MS : (number + 1 - intervals) * minutes * 60_000;
        await clock.sleep(Math.min(Math.ceil(untilNextMs), POLL_INTERVAL_MS), signal);
      }
    },
  };
}
