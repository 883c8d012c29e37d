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
/** An older cloud has refused it, or an older node of one: it may be a newer one by then. */
const RETRY_REFUSED_MS = 6 * 3_600_000;
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

  /** Returns after how long it is to be sent again; null: the cloud has it. */
  async function send(signal: AbortSignal): Promise<number | null> {
    try {
      const response = await link.sendCapabilities(await build(), signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
      } else if (response.kind === 'refused') {
        log.info({ code: response.code }, 'capabilities.refused');
        return RETRY_REFUSED_MS;
      }
      return null;
    } catch (error) {
      log.info({ error: errorMessage(error) }, 'capabilities.not_sent');
      return RETRY_MS;
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
            const retryMs = await send(signal);
            nextSendMonoMs = clock.monoMs() + (retryMs ?? RETRY_MS) * (0.5 + random.next());
            sentKey = retryMs === null ? key : sentKey;
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
