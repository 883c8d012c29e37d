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
 * How long a device was online while it was observed: from its pairing on, and while this service was
 * running. Nobody can say of a device that it was offline while nobody listened.
 */
export function uptimeOf(
  within: Span,
  pairedAtMs: number,
  observed: readonly Span[],
  online: readonly Span[],
): Uptime {
  const span = { fromMs: Math.max(within.fromMs, pairedAtMs), toMs: within.toMs };
  const watched = observed.flatMap((each) => overlap(each, span));
  const seen = watched.flatMap((each) => online.flatMap((up) => overlap(each, up)));
  return { observedMs: lengthOf(watched), onlineMs: lengthOf(seen) };
}

export function percentOf({ observedMs, onlineMs }: Uptime): number | null {
  return observedMs === 0 ? null : Math.round((onlineMs / observedMs) * 10_000) / 100;
}

function overlap(a: Span, b: Span): Span[] {
  const span = { fromMs: Math.max(a.fromMs, b.fromMs), toMs: Math.min(a.toMs, b.toMs) };
  return span.toMs > span.fromMs ? [span] : [];
}

const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
