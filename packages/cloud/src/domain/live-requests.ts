import type { LiveLogLines, LiveWanted } from '@placard/protocol';
import type { Clock } from './clock.ts';
import { sleep } from './sleep.ts';

/** Why there is no answer. */
export type NoLiveAnswer = 'no_socket' | 'player_too_old' | 'no_answer' | 'failed';

export type LiveResult =
  /** A JPEG image in Base64. */
  | { kind: 'picture'; image: string }
  | { kind: 'log_lines'; log: LiveLogLines }
  /** `problem`: as the player says it. */
  | { kind: 'none'; reason: NoLiveAnswer; problem: string | null };

/** Somebody waits for what the device is to send. */
export interface LiveRequest {
  type: 'live_requested';
  deviceId: string;
  wanted: LiveWanted;
}

/** What the nodes tell each other: the one that asks, the one with the socket and the one that gets the answer may differ. */
export type LiveEvent =
  | LiveRequest
  /** The node with the socket has passed the request on. */
  | { type: 'live_sent'; deviceId: string; wanted: LiveWanted }
  /** `result`: null where it is to be read, because it is too large for a message. */
  | { type: 'live_answered'; deviceId: string; wanted: LiveWanted; result: LiveResult | null };

/** A device is asked at most once in this time, whoever asks. Together they are below the rate limit of devices. */
const INTERVALS_MS: Readonly<Record<LiveWanted, number>> = { picture: 1_000, log_lines: 2_000 };
/** How long somebody waits for an answer. */
const TIMEOUT_MS = 10_000;
/** Then no node has the socket: longer than a message takes that a node has not heard of. */
const SENT_WITHIN_MS = 2_500;

interface Asked {
  atMs: number;
  isOpen: boolean;
  /** A node has passed it on to the device. */
  isSent: boolean;
  /** An answer has arrived here and is on its way to the nodes; others are not taken. */
  isAnswered: boolean;
  waiting: Set<(result: LiveResult) => void>;
}

const keyOf = (deviceId: string, wanted: LiveWanted): string => `${deviceId} ${wanted}`;

const none = (reason: NoLiveAnswer): LiveResult => ({ kind: 'none', reason, problem: null });
const NO_ANSWER = none('no_answer');

/**
 * What devices are asked while somebody looks: in memory alone. All who ask a device while it is asked already share its
 * answer. A node knows what the others ask, so that answers may arrive anywhere.
 */
export function createLiveRequests({
  clock,
  nodeClock,
  publish,
  read,
}: {
  clock: Clock;
  /** For how long nodes take to tell each other something. */
  nodeClock: Pick<Clock, 'setTimer'>;
  /** Delivers the event to this node, as the same object, and to all others. */
  publish: (event: LiveEvent) => Promise<void>;
  /** The answer that another node has received; null when it is gone. */
  read: (deviceId: string, wanted: LiveWanted) => Promise<LiveResult | null>;
}) {
  /** Requests of this node, which come back to it: by then they may have been answered. */
  const own = new WeakSet<LiveRequest>();
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
    const next: Asked = { atMs: nowMs, isOpen: true, isSent: false, isAnswered: false, waiting: new Set() };
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

  async function waitFor(last: Asked, signal: AbortSignal): Promise<LiveResult> {
    const { promise, resolve } = Promise.withResolvers<LiveResult>();
    const ended = new AbortController();
    last.waiting.add(resolve);
    void sleep(clock, last.atMs + TIMEOUT_MS - clock.nowMs(), AbortSignal.any([signal, ended.signal])).then(
      () => resolve(NO_ANSWER),
    );
    try {
      return await promise;
    } finally {
      ended.abort();
      last.waiting.delete(resolve);
    }
  }

  /** Takes an answer of the device, or why there is none. False: nobody waits for it, or there is one already. */
  async function answer(deviceId: string, wanted: LiveWanted, result: LiveResult): Promise<boolean> {
    const open = findOpen(keyOf(deviceId, wanted));
    if (!open || open.isAnswered) {
      return false;
    }
    open.isAnswered = true;
    await publish({ type: 'live_answered', deviceId, wanted, result });
    return true;
  }

  /** Tells all who wait that there is no socket, unless a node says in time that it has passed the request on. */
  function requireSent(deviceId: string, wanted: LiveWanted, asking: Asked): void {
    nodeClock.setTimer(SENT_WITHIN_MS, () => {
      if (findOpen(keyOf(deviceId, wanted)) === asking && !asking.isSent) {
        // When this fails they learn of it after a while.
        answer(deviceId, wanted, none('no_socket')).catch(() => {});
      }
    });
  }

  return {
    answer,
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
          const asking = begin(key);
          const answered = waitFor(asking, signal);
          const event: LiveRequest = { type: 'live_requested', deviceId, wanted };
          own.add(event);
          await publish(event).catch((error: unknown) => {
            settle(key, NO_ANSWER);
            throw error;
          });
          requireSent(deviceId, wanted, asking);
          return answered;
        }
        await sleep(clock, pauseMs, signal);
      }
      return NO_ANSWER;
    },
    /** This node has passed the request on to the device. Where it is that of another node, that learns of it. */
    async sent(request: LiveRequest): Promise<void> {
      const { deviceId, wanted } = request;
      const open = findOpen(keyOf(deviceId, wanted));
      if (open) {
        open.isSent = true;
      }
      if (!own.has(request)) {
        await publish({ type: 'live_sent', deviceId, wanted });
      }
    },
    handleEvent(event: LiveEvent): void {
      const { deviceId, wanted } = event;
      const key = keyOf(deviceId, wanted);
      if (event.type === 'live_requested') {
        if (!own.has(event) && !findOpen(key)) {
          begin(key);
        }
      } else if (event.type === 'live_sent') {
        const open = findOpen(key);
        if (open) {
          open.isSent = true;
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
