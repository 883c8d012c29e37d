import type { EditTracing } from '../domain/edit-tracing.ts';
import { setImmediate } from 'node:timers/promises';

/** Devices told in a turn of the event loop: each fetches its manifest at once, and other requests come in between. */
const TOLD_PER_TURN = 100;
/** Devices that need not be told take 0.2 µs each, so a turn is also limited by time. */
const MAX_TURN_MS = 4;
/** Devices looked at between two readings of the time. */
const CHECK_INTERVAL = 100;
/** More edits than this share a push without their traces. */
const MAX_PENDING_TRACES = 10;
/** Devices that are read from the database at once: 1 ms. */
const READ_AT_ONCE = 100;

export interface ManifestPushDeps {
  /** Ids of the connected devices. */
  connected: () => Iterable<string>;
  /** Tells the device its revision unless it knows it; `unread` when the device must be read for that. */
  tell: (deviceId: string) => 'told' | 'unchanged' | 'unread';
  read: (deviceIds: readonly string[]) => Promise<unknown>;
  onError: (error: unknown) => void;
  /** Called when a push of these traces begins; returns what to call at its end. */
  beginPush: EditTracing['beginPush'];
}

/**
 * Tells connected devices their revisions after a change, in short turns of the event loop. Each is told what is right
 * when its turn comes, so a change during a push only makes another round necessary, in which most know it already.
 */
export function createManifestPush({ connected, tell, read, onError, beginPush }: ManifestPushDeps) {
  let isEveryDevicePending = false;
  const pending = new Set<string>();
  let pendingTraces: string[] = [];
  let isRunning = false;
  let isStopped = false;

  const takePending = (): string[] => {
    const ids = isStopped ? [] : [...(isEveryDevicePending ? connected() : pending)];
    isEveryDevicePending = false;
    pending.clear();
    return ids;
  };

  const pushTo = async (ids: readonly string[]): Promise<void> => {
    let unread: string[] = [];
    let told = 0;
    let beganMs = performance.now();
    for (const [index, id] of ids.entries()) {
      const result = tell(id);
      told += result === 'told' ? 1 : 0;
      if (result === 'unread') {
        unread.push(id);
      }
      if (unread.length === READ_AT_ONCE || (index === ids.length - 1 && unread.length > 0)) {
        await read(unread);
        told += unread.filter((each) => tell(each) === 'told').length;
        unread = [];
      }
      if (
        told >= TOLD_PER_TURN ||
        (index % CHECK_INTERVAL === 0 && performance.now() - beganMs > MAX_TURN_MS)
      ) {
        await setImmediate();
        told = 0;
        beganMs = performance.now();
      }
      if (isStopped) {
        return;
      }
    }
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    for (let ids = takePending(); ids.length > 0; ids = takePending()) {
      const endPush = beginPush(pendingTraces);
      pendingTraces = [];
      // A device that is not told now learns it from its next heartbeat.
      await pushTo(ids).catch(onError);
      endPush();
    }
    isRunning = false;
  };

  return {
    /** The revisions of these devices, or of any (null), may be others than before. */
    add(deviceIds: readonly string[] | null, traces: readonly string[] = []): void {
      if (pendingTraces.length < MAX_PENDING_TRACES) {
        pendingTraces.push(...traces);
      }
      if (deviceIds === null) {
        isEveryDevicePending = true;
      } else {
        for (const id of deviceIds) {
          pending.add(id);
        }
      }
      if (!isRunning) {
        void run();
      }
    },
    stop(): void {
      isStopped = true;
    },
  };
}
