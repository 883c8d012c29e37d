import type { LiveLogLines, LiveWanted } from '@placard/protocol';
import type { Clock } from './clock.ts';

/** Why there is no answer. */
export type NoLiveAnswer = 'no_socket' | 'player_too_old' | 'no_answer' | 'failed';

export type LiveResult =
  /** A JPEG image in Base64. */
  | { kind: 'picture'; image: string }
  | { kind: 'log_lines'; log: LiveLogLines }
  /** `problem`: as the player says it. */
  | { kind: 'none'; reason: NoLiveAnswer; problem: string | null };

/** What the nodes tell each other: the one that asks, the one with the socket and the one that gets the answer may differ. */
export type LiveEvent =
  | { type: 'live_requested'; deviceId: string; wanted: LiveWanted }
  /** `result`: null where it is to be read, because it is too large for a message. */
  | { type: 'live_answered'; deviceId: string; wanted: LiveWanted; result: LiveResult | null };

/** A device is asked at most once in this time, whoever asks. Together they are below the rate limit of devices. */
const INTERVALS_MS: Readonly<Record<LiveWanted, number>> = { picture: 1_000, log_lines: 2_000 };
/** How long somebody waits for an answer. */
const TIMEOUT_MS = 10_000;

interface Asked {
  atMs: number;
  isOpen: boolean;
  /** An answer has arrived here and is on its way to the nodes; others are not taken. */
  isAnswered: boolean;
  waiting: Set<(result: LiveResult) => void>;
}

const keyOf = (deviceId: string, wanted: LiveWanted): string => `${deviceId} ${wanted}`;

const NO_ANSWER: LiveResult = { kind: 'none', reason: 'no_answer', problem: null };

/**
 * What devices are asked while somebody looks: in memory alone. All who ask a device while it is asked already share its
 * answer. A node knows what the others ask, so that answers may arrive anywhere.
 */
export function createLiveRequests({
  clock,
  publish,
  read,
}: {
  clock: Clock;
  /** Delivers the event to this node, as the same object, and to all others. */
  publish: (event: LiveEvent) => Promise<void>;
  /** The answer that another node has received; null when it is gone. */
  read: (deviceId: string, wanted: LiveWanted) => Promise<LiveResult | null>;
}) {
  /** Requests of this node, which come back to it: by then they may have been answered. */
  const own = new WeakSet<LiveEvent>();
  /** The last time that each device was asked, oldest first. */
  const asked = new Map<string, Asked>();
  const findOpen = (key: string): Asked | undefined => {
    const last = asked.get(key);
    return last?.isOpen === true && clock.nowMs() - last.atMs < TIMEOUT_MS ? last : undefined;
  };

  function begin(key: string): Asked {
    const nowMs = clock.nowMs();
    for (const [each, { atMs }] of asked) {
      if (nowMs - atMs < TIMEOUT_MS) {
        break;
      }
      asked.delete(each);
    }
    const next: Asked = { atMs: nowMs, isOpen: true, isAnswered: false, waiting: new Set() };
    asked.delete(key);
    asked.set(key, next);
    return next;
  }

  function settle(key: string, result: LiveResult): void {
    const last = asked.get(key);
    if (!last) {
      return;
    }
    last.isOpen = false;
    for (const resolve of last.waiting) {
      resolve(result);
    }
    last.waiting.clear();
  }

  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.setTimer(ms, end);
      signal.addEventListener('abort', end, { once: true });
    });

  async function waitFor(last: Asked, signal: AbortSignal): Promise<LiveResult> {
    const { promise, resolve } = Promise.withResolvers<LiveResult>();
    const ended = new AbortController();
    last.waiting.add(resolve);
    void sleep(last.atMs + TIMEOUT_MS - clock.nowMs(), AbortSignal.any([signal, ended.signal])).then(() =>
      resolve(NO_ANSWER),
    );
    try {
      return await promise;
    } finally {
      ended.abort();
      last.waiting.delete(resolve);
    }
  }

  return {
    /** Asks the device when it is its turn, and waits for the answer; ends early when the signal aborts. */
    async ask(deviceId: string, wanted: LiveWanted, signal: AbortSignal): Promise<LiveResult> {
      const key = keyOf(deviceId, wanted);
      while (!signal.aborted) {
        const open = findOpen(key);
        if (open) {
          return waitFor(open, signal);
        }
        const last = asked.get(key);
        const pauseMs = last ? last.atMs + INTERVALS_MS[wanted] - clock.nowMs() : 0;
        if (pauseMs <= 0) {
          const answer = waitFor(begin(key), signal);
          const event: LiveEvent = { type: 'live_requested', deviceId, wanted };
          own.add(event);
          await publish(event).catch((error: unknown) => {
            settle(key, NO_ANSWER);
            throw error;
          });
          return answer;
        }
        await sleep(pauseMs, signal);
      }
      return NO_ANSWER;
    },
    /** Takes an answer of the device, or why there is none. False: nobody waits for it, or there is one already. */
    async answer(deviceId: string, wanted: LiveWanted, result: LiveResult): Promise<boolean> {
      const open = findOpen(keyOf(deviceId, wanted));
      if (!open || open.isAnswered) {
        return false;
      }
      open.isAnswered = true;
      await publish({ type: 'live_answered', deviceId, wanted, result });
      return true;
    },
    handleEvent(event: LiveEvent): void {
      const { deviceId, wanted } = event;
      const key = keyOf(deviceId, wanted);
      if (event.type === 'live_requested') {
        if (!own.has(event) && !findOpen(key)) {
          begin(key);
        }
      } else if (event.result) {
        settle(key, event.result);
      } else if ((findOpen(key)?.waiting.size ?? 0) > 0) {
        void read(deviceId, wanted)
          .catch(() => null)
          .then((result) => settle(key, result ?? NO_ANSWER));
      } else {
        settle(key, NO_ANSWER);
      }
    },
  };
}

export type LiveRequests = ReturnType<typeof createLiveRequests>;
