import type { Clock } from '../domain/clock.ts';

/** Time in which a change is pushed to all affected devices, however many. */
const MAX_PUSH_DELAY_MS = 250;
/** Between two batches. */
const BATCH_INTERVAL_MS = 10;
/** Devices in a batch, unless fewer are queued. */
const MIN_BATCH_SIZE = 4;

/**
 * Pushes manifest changes to devices in batches: devices fetch the manifest as soon as they are notified, so notifying
 * hundreds at once would delay all other requests.
 */
export function createManifestPushQueue(deps: {
  clock: Clock;
  send: (deviceId: string, revision: string) => void;
}) {
  const pending = new Map<string, string>();
  let batchSize = 0;
  let isRunning = false;
  let cancel: (() => void) | null = null;

  const sendBatch = (): void => {
    let remaining = batchSize;
    for (const [deviceId, revision] of pending) {
      if (remaining-- === 0) {
        break;
      }
      pending.delete(deviceId);
      deps.send(deviceId, revision);
    }
    isRunning = pending.size > 0;
    if (isRunning) {
      cancel = deps.clock.setTimer(BATCH_INTERVAL_MS, sendBatch);
    } else {
      batchSize = 0;
    }
  };

  return {
    /** Queues a push to the device; a newer revision replaces a queued one. */
    add(deviceId: string, revision: string): void {
      pending.set(deviceId, revision);
      batchSize = Math.max(
        batchSize,
        MIN_BATCH_SIZE,
        Math.ceil((pending.size * BATCH_INTERVAL_MS) / MAX_PUSH_DELAY_MS),
      );
      if (isRunning) {
        return;
      }
      isRunning = true;
      // After all devices that one change affects were added.
      queueMicrotask(sendBatch);
    },
    stop(): void {
      pending.clear();
      cancel?.();
    },
  };
}
