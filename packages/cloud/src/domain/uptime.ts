/** A stretch of time in milliseconds, `[from, to)`. */
export interface Span {
  fromMs: number;
  toMs: number;
}

export interface Uptime {
  observedMs: number;
  onlineMs: number;
}

/**
 * How much of a stretch of time lies in the range and was observed, which is while this service was running. Nobody can
 * say of a device that it was offline while nobody listened.
 */
export function observedIn(within: Span, observed: readonly Span[]): (span: Span) => number {
  const watched: (Span & { beforeMs: number })[] = [];
  let totalMs = 0;
  for (const each of joined(observed)) {
    const span = { fromMs: Math.max(each.fromMs, within.fromMs), toMs: Math.min(each.toMs, within.toMs) };
    if (span.fromMs >= span.toMs) continue;
    watched.push({ ...span, beforeMs: totalMs });
    totalMs += span.toMs - span.fromMs;
  }
  /** What was observed before the instant. */
  const until = (atMs: number): number => {
    let [low, high] = [0, watched.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((watched[middle]?.toMs ?? 0) <= atMs) low = middle + 1;
      else high = middle;
    }
    const next = watched[low];
    return next ? next.beforeMs + Math.max(0, atMs - next.fromMs) : totalMs;
  };
  return ({ fromMs, toMs }) => Math.max(0, until(toMs) - until(fromMs));
}

/**
 * Adds up how long a device was online while it was observed, from its pairing on. Its spans come in order of their
 * ends; one that begins before the last one ended counts from there.
 */
export function createUptime(pairedAtMs: number, observed: (span: Span) => number) {
  let nextMs = pairedAtMs;
  let onlineMs = 0;
  return {
    add({ fromMs, toMs }: Span): void {
      onlineMs += observed({ fromMs: Math.max(fromMs, nextMs), toMs });
      nextMs = Math.max(nextMs, toMs);
    },
    sum: (): Uptime => ({ observedMs: observed({ fromMs: pairedAtMs, toMs: Infinity }), onlineMs }),
  };
}

/** In order of time, those that touch made one. */
function joined(spans: readonly Span[]): Span[] {
  const whole: Span[] = [];
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1);
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else whole.push({ fromMs, toMs });
  }
  return whole;
}

export function percentOf({ observedMs, onlineMs }: Uptime): number | null {
  return observedMs === 0 ? null : Math.round((onlineMs / observedMs) * 10_000) / 100;
}
