import { setTimeout as sleep } from 'node:timers/promises';

/** How long a load balancer has to notice that this node stops; it asks every few seconds. */
const MAX_NOTICE_MS = 5_000;

/** What is open to clients that shall move to other nodes. */
export interface Drainable {
  /** Takes no more, and closes what is open evenly over `ms`; ends early when told to. */
  drain(ms: number, signal: AbortSignal): Promise<void>;
}

/** Sends clients to the other nodes within `ms`. What is closed before the load balancer has asked would come back here. */
export async function drainAll(parts: readonly Drainable[], ms: number, signal: AbortSignal): Promise<void> {
  const noticeMs = Math.min(MAX_NOTICE_MS, ms / 6);
  await sleep(noticeMs, null, { signal }).catch(() => {});
  await Promise.all(parts.map((part) => part.drain(ms - noticeMs, signal)));
}
