import type { ScreenshotUpload } from '@placard/protocol';
import { errorMessage } from '../../core/error-details.ts';
import { findNewFault, forgetOldFaults } from '../../core/health/new-faults.ts';
import type { PicturedFaults } from '../../core/health/new-faults.ts';
import { offsetOf, pictureDue } from '../../core/health/screenshot-interval.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';
import type { WindowScreenshots } from '../base/window-screenshots.ts';

interface ScreenshotLoopDeps extends Pick<
  ServiceDeps,
  'clock' | 'link' | 'playerState' | 'wakeup' | 'onUnpaired' | 'log'
> {
  deviceId: string;
  takeScreenshot: WindowScreenshots['take'];
}

/** Clock and settings may change meanwhile. */
const POLL_INTERVAL_MS = 60_000;
/** Between pictures of faults, when they are taken and when they are sent. The page opens in the first of them. */
const FAULT_GAP_MS = 30_000;
/** Pictures of faults that wait for the cloud; it keeps no more. */
const MAX_UNSENT = 5;
/** After an outage of the cloud all devices have a picture of it, which they send within this time. */
const RECONNECT_SPREAD_MS = 10 * 60_000;

/**
 * Sends pictures of the screen of its own accord: every so many minutes, if the settings say so, and with each new fault. Those
 * of faults are sent later when the cloud does not take them, others are not.
 */
export function createScreenshotLoop(deps: ScreenshotLoopDeps): Service {
  const { clock, link, playerState, wakeup, log } = deps;
  let last = { minutes: 0, number: 0 };
  let pictured: PicturedFaults = new Map();
  let nextFaultMonoMs = clock.monoMs() + FAULT_GAP_MS;
  let unsent: ScreenshotUpload[] = [];
  let nextSendMonoMs = 0;
  let wasOnline = false;

  async function take(
    cause: Pick<ScreenshotUpload, 'fault_code'>,
    signal: AbortSignal,
  ): Promise<ScreenshotUpload | null> {
    try {
      return { ...cause, ...(await deps.takeScreenshot(signal)) };
    } catch (error) {
      log.info({ ...cause, error: errorMessage(error) }, 'screenshot.not_taken');
      return null;
    }
  }

  /** False: the cloud cannot be reached, or asks to come later. */
  async function send(picture: ScreenshotUpload, signal: AbortSignal): Promise<boolean> {
    try {
      const response = await link.sendScreenshot(picture, signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
      } else if (response.kind === 'refused') {
        log.info({ code: response.code }, 'screenshot.refused');
      }
      return true;
    } catch (error) {
      log.info({ error: errorMessage(error) }, 'screenshot.not_sent');
      return false;
    }
  }

  /** Sends a picture when one is due; returns the milliseconds until the next one. */
  async function keepInterval(signal: AbortSignal): Promise<number> {
    const minutes = playerState.fields.screenshotInterval ?? 0;
    if (minutes === 0) {
      last = { minutes, number: 0 };
      return POLL_INTERVAL_MS;
    }
    const wallMs = clock.wallMs();
    const { number, nextMs } = pictureDue(deps.deviceId, minutes, wallMs);
    const isDue = minutes === last.minutes && number > last.number;
    last = { minutes, number };
    const picture = isDue ? await take({}, signal) : null;
    if (picture) {
      await send(picture, signal);
    }
    return Math.ceil(nextMs - wallMs);
  }

  /** Takes a picture when a fault has begun; returns the milliseconds until the next one may be taken. */
  async function pictureFault(signal: AbortSignal): Promise<number> {
    const active = playerState.faults().map(({ code }) => code);
    const monoMs = clock.monoMs();
    pictured = forgetOldFaults(pictured, active, monoMs);
    const code = findNewFault(pictured, active);
    if (code === undefined) {
      return POLL_INTERVAL_MS;
    }
    if (monoMs < nextFaultMonoMs) {
      return nextFaultMonoMs - monoMs;
    }
    nextFaultMonoMs = monoMs + FAULT_GAP_MS;
    pictured = new Map([...pictured, [code, monoMs]]);
    const picture = playerState.fields.allowsScreenshots ? await take({ fault_code: code }, signal) : null;
    unsent = [...unsent, ...(picture ? [picture] : [])].slice(-MAX_UNSENT);
    return FAULT_GAP_MS;
  }

  /** Sends the oldest picture of a fault; returns the milliseconds until the next one may be sent. */
  async function sendFault(signal: AbortSignal): Promise<number> {
    if (!playerState.fields.allowsScreenshots) {
      unsent = [];
    }
    const isOnline = playerState.fields.connection === 'online';
    if (isOnline && !wasOnline) {
      nextSendMonoMs = clock.monoMs() + offsetOf(deps.deviceId) * RECONNECT_SPREAD_MS;
    }
    wasOnline = isOnline;
    const [picture] = unsent;
    if (!picture || !isOnline) {
      return POLL_INTERVAL_MS;
    }
    if (clock.monoMs() >= nextSendMonoMs) {
      nextSendMonoMs = clock.monoMs() + FAULT_GAP_MS;
      if (await send(picture, signal)) {
        unsent = unsent.filter((each) => each !== picture);
      }
    }
    return nextSendMonoMs - clock.monoMs();
  }

  return {
    name: 'screenshots',
    async run(signal) {
      const unsubscribe = playerState.onChange(wakeup.wake);
      try {
        while (!signal.aborted) {
          const waits = [await keepInterval(signal), await pictureFault(signal), await sendFault(signal)];
          await wakeup.wait(Math.max(1, Math.min(...waits, POLL_INTERVAL_MS)), signal);
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
