/** A time in which the cloud was running. */
export interface ObservedSpan {
  started_at: number;
  ended_at: number;
}

/**
 * The instant from which on the cloud was running for so long, all spans taken together; null if it never was. What has
 * lasted since then has lasted that long, as far as the cloud could see. The spans are the newest first.
 */
export function startOfObserved(spans: Iterable<ObservedSpan>, durationMs: number): number | null {
  let restMs = durationMs;
  let beforeMs = Infinity;
  for (const span of spans) {
    // Two nodes may both have been the leader for a moment.
    const endedMs = Math.min(span.ended_at, beforeMs);
    const lengthMs = endedMs - span.started_at;
    if (lengthMs >= restMs) {
      return endedMs - restMs;
    }
    restMs -= Math.max(0, lengthMs);
    beforeMs = Math.min(span.started_at, beforeMs);
  }
  return null;
}

/**
 * The last instant up to which the cloud was running for at most so long since the given one: what has begun until then has begun
 * within that time, as far as the cloud could see. The end of the newest span if it was never running for longer. The spans
 * are the newest first.
 */
export function endOfObserved(spans: Iterable<ObservedSpan>, fromMs: number, durationMs: number): number {
  const later: ObservedSpan[] = [];
  for (const span of spans) {
    if (span.ended_at <= fromMs) {
      break;
    }
    later.push(span);
  }
  let restMs = durationMs;
  let afterMs = fromMs;
  for (const { started_at, ended_at } of later.toReversed()) {
    // Two nodes may both have been the leader for a moment.
    const startedMs = Math.max(started_at, afterMs);
    if (ended_at - startedMs > restMs) {
      return startedMs + restMs;
    }
    restMs -= Math.max(0, ended_at - startedMs);
    afterMs = Math.max(ended_at, afterMs);
  }
  return afterMs;
}

/** The times that are in both, newest first. Both lists are the newest first; those of `others` do not overlap. */
export function* overlapOf(
  spans: readonly ObservedSpan[],
  others: Iterable<ObservedSpan>,
): Generator<ObservedSpan> {
  let newest = 0;
  for (const other of others) {
    while (newest < spans.length && spans[newest]!.started_at > other.ended_at) {
      newest += 1;
    }
    for (let at = newest; at < spans.length && spans[at]!.ended_at >= other.started_at; at++) {
      const span = spans[at]!;
      yield {
        started_at: Math.max(span.started_at, other.started_at),
        ended_at: Math.min(span.ended_at, other.ended_at),
      };
    }
  }
}
