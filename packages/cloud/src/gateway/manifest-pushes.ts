import type { Clock } from '../domain/clock.ts';

/** A change is told to all screens that it concerns within this time, */
const TOLD_WITHIN_MS = 250;
/** in slices with this pause between them, */
const PAUSE_MS = 10;
/** and to a few of them at once. */
const LEAST_SLICE = 4;

export interface ManifestPushes {
  /** The device is told soon; a newer revision takes the place of one that still waits. */
  add(deviceId: string, revision: string): void;
  stop(): void;
}

/**
 * Tells screens that their manifest has changed. They fetch it in the instant in which they are told: told one after
 * the other, hundreds of them keep nobody waiting.
 */
export function createManifestPushes(deps: {
  clock: Clock;
  send: (deviceId: string, revision: string) => void;
}): ManifestPushes {
  const waiting = new Map<string, string>();
  let slice = 0;
  let running = false;
  let cancel: (() => void) | null = null;

  const sendSlice = (): void => {
    let left = slice;
    for (const [deviceId, revision] of waiting) {
      if (left-- === 0) break;
      waiting.delete(deviceId);
      deps.send(deviceId, revision);
    }
    running = waiting.size > 0;
    if (running) cancel = deps.clock.setTimer(PAUSE_MS, sendSlice);
    else slice = 0;
  };

  return {
    add(deviceId, revision) {
      waiting.set(deviceId, revision);
      slice = Math.max(slice, LEAST_SLICE, Math.ceil((waiting.size * PAUSE_MS) / TOLD_WITHIN_MS));
      if (running) return;
      running = true;
      // When all that one change concerns have been named.
      queueMicrotask(sendSlice);
    },
    stop() {
      waiting.clear();
      cancel?.();
    },
  };
}
