import type { CapabilitiesReport } from '@placard/protocol';
import { errorMessage } from '../../core/error-details.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';

type CapabilitiesLoopDeps = Pick<
  ServiceDeps,
  'clock' | 'random' | 'link' | 'playerState' | 'telemetry' | 'wakeup' | 'onUnpaired' | 'log'
>;

/** After a power failure all devices start at once. */
const SPREAD_MS = 60_000;
const RETRY_MS = 10 * 60_000;
/** Without anything to send; a change of the state ends the wait. */
const IDLE_MS = 3_600_000;

/** Tells the cloud what the browser can decode, and the hardware: once, and again when the browser reports something else. */
export function createCapabilitiesLoop(deps: CapabilitiesLoopDeps): Service {
  const { clock, random, link, playerState, wakeup, log } = deps;
  let sentKey: string | null = null;
  let nextSendMonoMs = clock.monoMs() + random.next() * SPREAD_MS;

  async function build(): Promise<CapabilitiesReport> {
    const { videoCapabilities, displaySize } = playerState.fields;
    const hardware = await deps.telemetry.hardware();
    return {
      videos: [...(videoCapabilities ?? [])],
      hardware: displaySize ? { ...hardware, displays: [{ name: null, ...displaySize }] } : hardware,
    };
  }

  /** False: the cloud cannot be reached, or asks to come later. */
  async function send(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await link.sendCapabilities(await build(), signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
      } else if (response.kind === 'refused') {
        log.info({ code: response.code }, 'capabilities.refused');
      }
      return true;
    } catch (error) {
      log.info({ error: errorMessage(error) }, 'capabilities.not_sent');
      return false;
    }
  }

  return {
    name: 'capabilities',
    async run(signal) {
      const unsubscribe = playerState.onChange(wakeup.wake);
      try {
        while (!signal.aborted) {
          const { videoCapabilities, displaySize, connection } = playerState.fields;
          const key = videoCapabilities && JSON.stringify([videoCapabilities, displaySize]);
          const isDue = key !== null && key !== sentKey && connection === 'online';
          if (isDue && clock.monoMs() >= nextSendMonoMs) {
            nextSendMonoMs = clock.monoMs() + RETRY_MS * (0.5 + random.next());
            if (await send(signal)) {
              sentKey = key;
            }
          }
          const waitMs = isDue && key !== sentKey ? nextSendMonoMs - clock.monoMs() : IDLE_MS;
          await wakeup.wait(Math.max(1, waitMs), signal);
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
