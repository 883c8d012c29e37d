/** A time span in milliseconds, `[from, to)`. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

export interface Uptime {
  observedMs: number;
  onlineMs: number;
}

/**
 * Returns a function that measures how much of a time span lies in the range and was observed, i.e. while this cloud
 * was running. While it was not, devices count neither as online nor as offline.
 */
export function createObservedDuration(
  range: TimeSpan,
  observed: readonly TimeSpan[],
): (span: TimeSpan) => number {
  const observedSpans: (TimeSpan & { beforeMs: number })[] = [];
  let totalMs = 0;
  for (const each of mergeSpans(observed)) {
    const span = { fromMs: Math.max(each.fromMs, range.fromMs), toMs: Math.min(each.toMs, range.toMs) };
    if (span.fromMs >= span.toMs) {
      continue;
    }
    observedSpans.push({ ...span, beforeMs: totalMs });
    totalMs += span.toMs - span.fromMs;
  }
  /** Observed time before the timestamp. */
  const observedMsBefore = (atMs: number): number => {
    let [low, high] = [0, observedSpans.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((observedSpans[middle]?.toMs ?? 0) <= atMs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const next = observedSpans[low];
    return next ? next.beforeMs + Math.max(0, atMs - next.fromMs) : totalMs;
  };
  return ({ fromMs, toMs }) => Math.max(0, observedMsBefore(toMs) - observedMsBefore(fromMs));
}

/**
 * Sums the observed online time of a device since its pairing. Spans must be added in order of their ends; overlaps
 * with the previous span are not counted twice.
 */
export function createUptimeCounter(pairedAtMs: number, observedMsOf: (span: TimeSpan) => number) {
  let nextMs = pairedAtMs;
  let onlineMs = 0;
  return {
    add({ fromMs, toMs }: TimeSpan): void {
      onlineMs += observedMsOf({ fromMs: Math.max(fromMs, nextMs), toMs });
      nextMs = Math.max(nextMs, toMs);
    },
    sum: (): Uptime => ({ observedMs: observedMsOf({ fromMs: pairedAtMs, toMs: Infinity }), onlineMs }),
  };
}

/** Sorts the spans and merges those that touch or overlap. */
function mergeSpans(spans: readonly TimeSpan[]): TimeSpan[] {
  const merged: TimeSpan[] = [];
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1);
    if (last && fromMs <= last.toMs) {
      last.toMs = Math.max(last.toMs, toMs);
    } else {
      merged.push({ fromMs, toMs });
    }
  }
  return merged;
}

export function uptimePercent({ observedMs, onlineMs }: Uptime): number | null {
  return observedMs === 0 ? null : Math.round((onlineMs / observedMs) * 10_000) / 100;
}
